/**
 * From the pieces of an answer to what the pipeline judges: the text behind what was cut off the prompt, up to the line's end where one line is
 * wanted, and how sure the model was of it.
 */
import { estimateTokens } from '../completion/token_estimate';
import type { NativeCompletion, NativeStop } from '../engine/native_types';
import type { RemotePiece, RemoteToken } from './pieces';

/**
 * What a token is taken to be worth where the server gives no probabilities. With it a line of three tokens is shown even to who wants it quiet, one of nine
 * to who wants it balanced, and of what is longer a part, or all where somebody asks: what a model says first it knows best.
 */
export const UNRATED = 0.9;

export interface Wanted {
  /** What the answer has to begin with; it is left out of the text. */
  readonly required: string;
  readonly singleLine: boolean;
  /** Where the text becomes less probable than this, 0 to 1, it is over. */
  readonly leastConfidence: number;
  /** What ends a text beside the model's own end. */
  readonly ends: readonly string[];
}

/** Whether more is wanted: `mismatch` where the answer begins with something else than it has to. */
export type Verdict = 'more' | 'over' | 'mismatch';

interface RatedEnd {
  readonly probability: number;
  /** UTF-16 units of all that came behind it. */
  readonly end: number;
  readonly endProbability: number;
}

type Rates = Pick<NativeCompletion, 'confidence' | 'tokenProbabilities' | 'tokenEnds' | 'endProbability'>;

export class AnswerText {
  private readonly wanted: Wanted;
  private all = '';
  private tokens: RatedEnd[] = [];
  private rated = false;
  private ended: NativeStop | undefined;
  /** UTF-16 units of the text that were told. */
  private told = 0;

  constructor(wanted: Wanted) {
    this.wanted = wanted;
  }

  /** Why it is over; undefined while it is not. */
  get stop(): NativeStop | undefined {
    return this.ended;
  }

  /** What is wanted of it so far. */
  get text(): string {
    return this.all.slice(this.wanted.required.length);
  }

  /** Whether it begins as it has to, all of it. */
  get begins(): boolean {
    return this.all.startsWith(this.wanted.required);
  }

  add({ text, tokens, stop }: RemotePiece): Verdict {
    if (this.ended !== undefined) return 'over';
    const from = this.all.length;
    this.all += text;
    this.rate(from, tokens);
    const { required, leastConfidence } = this.wanted;
    if (!(this.all.startsWith(required) || required.startsWith(this.all))) return 'mismatch';
    const cut = this.endOfText();
    if (cut !== undefined) {
      this.all = this.all.slice(0, cut.at);
      this.ended = cut.stop;
    } else if (stop !== undefined) {
      this.ended = stop;
    } else if (this.rated && this.all.length > required.length && this.confidence() < leastConfidence) {
      this.ended = 'unsure';
    }
    if (this.ended === undefined) return 'more';
    return this.begins ? 'over' : 'mismatch';
  }

  /** What of the text nobody was told yet; while more may come, not what could turn out to be its end. */
  untold(): string {
    const { text } = this;
    const sure = this.ended === undefined ? text.length - this.doubtful(text) : text.length;
    const piece = text.slice(this.told, sure);
    this.told = Math.max(this.told, sure);
    return piece;
  }

  rates(): Rates {
    const behind = this.behindRequired();
    const probabilities = behind.map(({ probability }) => probability);
    return {
      confidence: behind.length === 0 ? 0 : probabilities.reduce((product, one) => product * one, 1),
      tokenProbabilities: Float32Array.from(probabilities),
      tokenEnds: Uint32Array.from(behind, ({ end }) => end),
      endProbability: this.endProbability(),
    };
  }

  /** Each token with where the text ends behind it; the server's own division where it gives one. */
  private rate(from: number, tokens: readonly RemoteToken[]): void {
    const { length } = this.all;
    if (tokens.length > 0) {
      this.rated = true;
      let end = from;
      for (const [index, { text, probability, endProbability }] of tokens.entries()) {
        end = index === tokens.length - 1 ? length : Math.min(length, end + text.length);
        this.tokens.push({ probability, end, endProbability });
      }
      return;
    }
    const units = length - from;
    // Of a server that rates tokens, one that comes without is the end of a character or of the text.
    if (units === 0 || this.rated) return;
    const count = Math.max(1, Math.min(units, Math.round(estimateTokens(this.all, from))));
    for (let index = 1; index <= count; index++)
      this.tokens.push({
        probability: UNRATED,
        end: from + Math.round((units * index) / count),
        endProbability: 0,
      });
  }

  private confidence(): number {
    return this.behindRequired().reduce((product, { probability }) => product * probability, 1);
  }

  /** The tokens that reach beyond what was required, and into the text; where it is empty, the one that ended it. */
  private behindRequired(): readonly RatedEnd[] {
    const { length } = this.wanted.required;
    const most = this.all.length;
    const first = this.tokens.findIndex(({ end }) => end > length);
    if (first < 0) return [];
    const last = this.tokens.findIndex(({ end }) => end >= most && end > length);
    // The one that ended it counts as well, where it is among them.
    const whole = last >= 0 && this.tokens[last]?.end === most;
    return this.tokens
      .slice(first, last < 0 ? undefined : last + (whole ? 2 : 1))
      .map((token) => ({ ...token, end: Math.min(token.end, most) - length }));
  }

  /** How sure it is that nothing more belongs on the line: known where a token begins right behind what was required. */
  private endProbability(): number {
    const { length } = this.wanted.required;
    const visible = this.text.split(/[\r\n]/, 1)[0]?.trim() !== '';
    if (!this.rated) return visible || this.ended === 'max_tokens' ? 0 : 1;
    const at = this.tokens.findIndex(({ end }) => end > length);
    const before = at < 0 ? this.tokens.at(-1) : this.tokens[at - 1];
    const aligned = at === 0 ? length === 0 : (before?.end ?? 0) === length;
    const own = at < 0 ? undefined : this.tokens[at];
    if (own !== undefined && aligned) return own.endProbability;
    // The token that ended it is often not among those that are rated.
    return visible ? 0 : 1;
  }

  private endOfText(): { readonly at: number; readonly stop: NativeStop } | undefined {
    const { required, singleLine, ends } = this.wanted;
    const found = ends.map((end) => this.all.indexOf(end, required.length)).filter((at) => at >= 0);
    const mark = found.length === 0 ? undefined : Math.min(...found);
    const rest = this.all.slice(required.length, mark);
    // A line break before anything visible is the line's end as well: it is complete.
    const line = singleLine ? rest.search(/[\r\n]/) : -1;
    if (line >= 0) return { at: required.length + line, stop: 'line_end' };
    return mark === undefined ? undefined : { at: mark, stop: 'end_token' };
  }

  /** UTF-16 units at the end that may be the beginning of an end. */
  private doubtful(text: string): number {
    const begins = (end: string): number => {
      for (let units = Math.min(end.length - 1, text.length); units > 0; units--) {
        if (text.endsWith(end.slice(0, units))) return units;
      }
      return 0;
    };
    return Math.max(0, ...this.wanted.ends.map(begins));
  }
}
