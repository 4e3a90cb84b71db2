/**
 * A remote engine is asked, and the one on this machine steps in where that is late, fails, or may not have the text: who types never waits longer than the
 * time limit for it.
 *
 * The local engine begins beside a remote one that takes longer than it usually does (answer_times.ts), so that its answer is there when the limit passes or
 * the connection breaks; it begins with the question where nothing is known of the remote one, or a failure. The first that may be taken cancels the other.
 * While a remote engine is left alone after a failure (back_off.ts), the local one answers as if there were no other.
 */
import { ask, type Asking, type Question, type Reply } from '../completion/asking';
import type { Calibration } from '../completion/calibration';
import type { DocumentSnapshot } from '../completion/document';
import type { EngineState, GenerationEngine } from '../completion/engine_port';
import type { Place, PromptWriter } from '../completion/prompt_writer';
import type { EngineAnswer } from '../engine/engine_request';
import type { NativeError } from '../engine/native_result';
import { LinkedAbort, unlessAborted } from './abort';
import { AnswerTimes } from './answer_times';
import type { BackOff } from './back_off';
import { late } from './errors';
import { LocalAnswer } from './local_answer';
import type { RemoteEngine } from './remote_engine';

/** Of a prompt, tokens: a server reads them in the time of a few on a laptop. */
export const REMOTE_PROMPT_TOKENS = 2_048;

type Line = Pick<RemoteEngine, 'connect' | 'host'> & GenerationEngine;

/** What a remote engine is known by. */
export interface RemoteTimes {
  /** Of whole suggestions. */
  readonly suggestions: AnswerTimes;
  /** To where longer texts begin. */
  readonly texts: AnswerTimes;
}

/** A remote engine in use. */
export interface Remote {
  readonly engine: Line;
  readonly prompts: PromptWriter;
  readonly backOff: BackOff;
  readonly times: RemoteTimes;
  /** A suggestion has to be there within this, of a longer text the beginning, ms. */
  readonly timeoutMs: number;
  /** How sure one may be of its model. Default: as of the embedded one. */
  readonly calibration?: Calibration | undefined;
}

export interface RemoteFirstParts {
  readonly local: Asking<GenerationEngine>;
  /** Undefined: none was chosen, or it may not be used. */
  readonly remote: () => Remote | undefined;
  /** Whether the text of a document may leave the machine. */
  readonly mayLeave: (document: DocumentSnapshot) => boolean;
  /** Called when the remote engine answered or failed. */
  readonly changed?: () => void;
}

/** Of one that was not asked yet. */
export function noTimes(): RemoteTimes {
  return { suggestions: new AnswerTimes(), texts: new AnswerTimes() };
}

type Attempt = { readonly reply: Reply } | { readonly error: NativeError };

export class RemoteFirst implements Asking<GenerationEngine> {
  private readonly parts: RemoteFirstParts;
  /** Texts that grow elsewhere. */
  private texts = 0;

  constructor(parts: RemoteFirstParts) {
    this.parts = parts;
  }

  /** Where one can answer, somebody can be asked. */
  get state(): EngineState {
    return this.first === undefined ? this.parts.local.state : 'ready';
  }

  /** A text that may not leave is answered here all the same: its cut-off follows the other model, which is no more than a few tokens of work. */
  get calibration(): Calibration | undefined {
    return (this.first ?? this.parts.local).calibration;
  }

  get generating(): boolean {
    return this.texts > 0 || this.parts.local.generating === true;
  }

  async ask(question: Question<GenerationEngine>): Promise<Reply> {
    const { place } = question;
    const remote = this.first;
    const isOurs = place.constraint !== undefined || question.namesTokens === true;
    if (remote === undefined || isOurs || !this.parts.mayLeave(place.document))
      return this.parts.local.ask(question);
    if (question.onText === undefined) return this.race(remote, question);
    this.texts++;
    return this.race(remote, question).finally(() => this.texts--);
  }

  forget(uri: string): void {
    this.parts.local.forget(uri);
    this.parts.remote()?.prompts.forget(uri);
  }

  reset(): void {
    this.parts.local.reset();
    this.parts.remote()?.prompts.reset();
  }

  /** The remote engine, where it is not left alone. */
  private get first(): Remote | undefined {
    const remote = this.parts.remote();
    return remote !== undefined && remote.backOff.pausedMs > 0 ? undefined : remote;
  }

  private get hasLocal(): boolean {
    return this.parts.local.state === 'ready';
  }

  /**
   * Of a suggestion nobody sees anything before it is whole: both may be under way. A text somebody watches grow: who has begun it goes on alone, and of the
   * local one nothing is seen before its turn.
   */
  private race(remote: Remote, question: Question<GenerationEngine>): Promise<Reply> {
    const { signal, onText } = question;
    const { engine, timeoutMs, backOff } = remote;
    const times = onText === undefined ? remote.times.suggestions : remote.times.texts;
    const began = performance.now();
    return new Promise((resolve) => {
      const away = new LinkedAbort(signal);
      const local = new LocalAnswer(this.parts.local, question, resolve);
      let hasBegun = false;
      if (onText === undefined && backOff.doubted && this.hasLocal) local.take();
      const stopWaiting = this.hedge(remote, times, () => local.begin());
      const limit = setTimeout(() => {
        // Without another engine a late answer is better than none.
        if (hasBegun || !this.hasLocal) return;
        this.note(remote, late(engine.host, timeoutMs));
        times.add(timeoutMs);
        away.abort();
        stopWaiting();
        local.take();
      }, timeoutMs);
      const tell = (piece: string): void => {
        if (onText === undefined || away.signal.aborted) return;
        if (!hasBegun) {
          hasBegun = true;
          stopWaiting();
          local.cancel();
          times.add(performance.now() - began);
        }
        onText(piece);
      };
      void this.attempt(remote, question, away.signal, tell).then((attempt) => {
        const isLate = away.signal.aborted && !signal.aborted;
        stopWaiting();
        clearTimeout(limit);
        away.release();
        if (isLate) return;
        const error = 'error' in attempt ? attempt.error : undefined;
        if (!signal.aborted) {
          if (error === undefined && onText === undefined) times.add(performance.now() - began);
          this.note(remote, error);
        }
        if (error !== undefined && !hasBegun && this.hasLocal) {
          local.take();
          return;
        }
        local.cancel();
        resolve(
          'reply' in attempt
            ? attempt.reply
            : { answer: { ok: false, error: attempt.error }, engine, remote: true },
        );
      });
    });
  }

  /**
   * Has the local engine begin once the remote one is later than usual: at once where it failed last, or nothing is known of it.
   * @returns Gives that up.
   */
  private hedge({ engine, backOff, timeoutMs }: Remote, times: AnswerTimes, begin: () => void): () => void {
    const isUnknown = engine.state !== 'ready' || backOff.reason !== undefined;
    if (isUnknown && this.hasLocal) begin();
    const timer = setTimeout(() => {
      if (this.hasLocal) begin();
    }, times.usualMs(timeoutMs));
    return () => clearTimeout(timer);
  }

  /** What comes of asking the remote engine alone. */
  private async attempt(
    remote: Remote,
    { place, send }: Question<GenerationEngine>,
    signal: AbortSignal,
    onText: (piece: string) => void,
  ): Promise<Attempt> {
    const { engine, prompts } = remote;
    // Who gives up does not wait for what is found out there.
    const connected = await unlessAborted(engine.connect(), signal);
    if (connected?.ok === false) return { error: connected.error };
    const answer: EngineAnswer = await ask(prompts, forElsewhere(place), (request) =>
      send(engine, request, signal, onText),
    );
    if (!answer.ok) return { error: answer.error };
    // Which model it is was found out with the connection.
    return { reply: { answer, engine, remote: true, calibration: remote.calibration } };
  }

  private note({ backOff }: Remote, error?: NativeError): void {
    if (error?.code === 'CANCELLED') return;
    if (error === undefined) backOff.succeeded();
    else backOff.failed(error);
    this.parts.changed?.();
  }
}

/** The clipboard stays here. Nor are drafts looked up elsewhere, nor texts remembered. */
export function forElsewhere({ document, options, snippets, rests }: Place): Place {
  const promptTokens = options.promptTokens > 0 ? options.promptTokens : REMOTE_PROMPT_TOKENS;
  return { document, options: { ...options, promptTokens }, snippets, rests };
}
