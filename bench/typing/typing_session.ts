/** A person types a stretch of a file, key after key, as an editor would see it. */
import { Failure } from '../../cli/failure';
import type { CompletionOutcome } from '../../core/completion/outcome';
import { acceptanceOf } from './acceptance';
import { type Clock, DEBOUNCE_MS, REAL_CLOCK, REST_MS, type Timed } from './clock';
import { type Agreement, agreementOf, Ghost, type Sight } from './ghost';
import { documentAt, type Stretch } from './stretch';
import type { Subject } from './subject';

export interface Person {
  /** Whether what agrees with the file is accepted as soon as it is seen. */
  readonly accepts: boolean;
  /** Waits for each answer before the next key, however long it takes. */
  readonly patient: boolean;
  /**
   * Whether what the editor will ask is begun with the key, where it asked behind the key before, as the extension does. Default: it is begun
   * when it asks.
   */
  readonly headStart?: boolean;
}

/** A key, or an acceptance, and what came of it. */
export interface TypedKey extends Sight, Agreement {
  /** The cursor's line, up to the cursor. */
  readonly line: string;
  /** From the request to its answer, 0 where that was there before; undefined where the next key came before the editor asked. */
  readonly time: Timed | undefined;
  /** From when it was begun. */
  readonly work: Timed | undefined;
  /** Whether the next key was due before the answer came, whether or not somebody waited for it; undefined where the editor would not have asked. */
  readonly late: boolean | undefined;
  readonly source: CompletionOutcome['source'];
  /** Of the lines behind the first, where they came later. */
  readonly sourceBehind: CompletionOutcome['source'];
  /** Tokens of the prompt that were read anew; undefined where the model was not asked. */
  readonly recomputed: number | undefined;
  /** What was made, shown or not, where nothing but doubt would hide it. */
  readonly made: (Agreement & { readonly certainty: number }) | undefined;
}

export interface TypedStretch {
  readonly path: string;
  readonly keys: readonly TypedKey[];
  /** How many there were to press without any help. */
  readonly needed: number;
  /** How many were pressed, those of acceptances included. */
  readonly pressed: number;
}

/** Throws Failure where the engine reports an error. */
export async function typeStretch(
  subject: Subject,
  stretch: Stretch,
  person: Person,
  clock: Clock = REAL_CLOCK,
): Promise<TypedStretch> {
  const { path, text, end, stops } = stretch;
  const ghost = new Ghost();
  const keys: TypedKey[] = [];
  let pressed = 0;
  let shown = '';
  let asks = true;
  await rest(subject, stretch, 0, 0, clock);
  for (let at = 0; at < stops.length - 1;) {
    const cursor = stops[at] ?? end;
    const taken = person.accepts ? acceptanceOf(shown, text.slice(cursor, end)) : undefined;
    pressed += taken?.keys ?? 1;
    const reached = cursor + (taken?.text.length ?? 1);
    // Whoever accepts up to a line break, or into the indentation behind it, is put behind that by the editor.
    at = stops.findIndex((stop) => stop >= reached);
    const stop = stops[at] ?? end;
    const answer = await ask(
      subject,
      stretch,
      at,
      { ...person, headStart: person.headStart === true && asks },
      clock,
    );
    asks = answer.time !== undefined;
    const first = ghost.after(text.slice(cursor, stop), answer.text);
    const sight = answer.whole === undefined ? first : ghost.grow(first, answer.whole);
    shown = sight.text;
    const line = text.slice(text.lastIndexOf('\n', stop - 1) + 1, stop);
    keys.push({ line, ...answer, ...sight, ...agreementOf(shown, text.slice(stop, end)) });
  }
  return { path, keys, needed: stops.length - 1, pressed };
}

interface Answer extends Pick<
  TypedKey,
  'time' | 'work' | 'late' | 'source' | 'sourceBehind' | 'recomputed' | 'made'
> {
  /** What is to be shown; undefined where the next key came first. */
  readonly text: string | undefined;
  /** The same with the lines behind it, where they come later. */
  readonly whole: string | undefined;
}

const NOT_ASKED: Answer = {
  time: undefined,
  work: undefined,
  late: undefined,
  source: 'none',
  sourceBehind: 'none',
  recomputed: undefined,
  made: undefined,
  text: undefined,
  whole: undefined,
};

/** What an editor asks at a stop, and has read ahead where the cursor rests there. */
async function ask(
  subject: Subject,
  stretch: Stretch,
  at: number,
  { patient, headStart = false }: Person,
  clock: Clock,
): Promise<Answer> {
  const { path, text, end, stops, intervals, others } = stretch;
  const interval = intervals[at] ?? 0;
  const due = interval - DEBOUNCE_MS;
  const begunMs = headStart ? 0 : DEBOUNCE_MS;
  const left = patient ? Infinity : interval - begunMs;
  if (left <= 0) return NOT_ASKED;
  const cursor = stops[at] ?? end;
  const document = documentAt(stretch, uriOf(path), cursor);
  const begin = subject.begin ?? subject.complete;
  const { value: outcome, ms } = await clock.within(left, (signal) => begin({ document, signal, ...others }));
  if (outcome.error !== undefined) throw new Failure(outcome.error);
  if (due <= 0 && !patient) return NOT_ASKED;
  const complete = ms <= left && outcome.stop !== 'cancelled';
  const seenMs = Math.max(begunMs + ms, DEBOUNCE_MS);
  const until = patient ? Infinity : interval;
  const goesOn = complete && outcome.shown && outcome.goesOn === true;
  const behind = goesOn
    ? await clock.within(until - seenMs, (signal) => subject.complete({ document, signal, ...others }))
    : undefined;
  const { value: whole, ms: more } = behind ?? { value: undefined, ms: 0 };
  await rest(subject, stretch, at, seenMs + more, clock);
  const { promptTokens, reusedTokens } = outcome.timings;
  const ended = complete && outcome.stop !== 'unsure';
  const judged = ended && /^(?:shown|low_confidence)$/.test(outcome.reason);
  return {
    time: { ms: seenMs - DEBOUNCE_MS, complete },
    work: { ms, complete },
    late: due <= 0 ? undefined : seenMs > interval,
    source: outcome.source,
    sourceBehind: whole?.source ?? 'none',
    recomputed: outcome.source === 'model' && promptTokens > 0 ? promptTokens - reusedTokens : undefined,
    made: judged
      ? { certainty: outcome.certainty, ...agreementOf(outcome.text, text.slice(cursor, end)) }
      : undefined,
    text: complete ? (outcome.shown ? outcome.text : '') : undefined,
    whole: whole?.shown === true && seenMs + more <= until ? whole.text : undefined,
  };
}

/**
 * Reads ahead at a stop until the next key, if the cursor rests there.
 * @param busyMs So long the engine has an answer to find there.
 */
async function rest(
  subject: Subject,
  stretch: Stretch,
  at: number,
  busyMs: number,
  clock: Clock,
): Promise<void> {
  const { path, end, stops, intervals, others } = stretch;
  const interval = intervals[at] ?? 0;
  if (interval <= REST_MS || busyMs > REST_MS) return;
  const document = documentAt(stretch, uriOf(path), stops[at] ?? end);
  await clock.within(interval - REST_MS, (signal) => subject.prepare({ document, signal, ...others }));
}

function uriOf(path: string): string {
  return `typed:${path}`;
}
