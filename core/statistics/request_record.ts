/** What is kept of a request that came to an end: numbers and words of closed sets, nothing of its text or of where it was. */
import type { CompletionOutcome } from '../completion/outcome';
import { type Reason, REASONS } from '../completion/reasons';
import { isCount, isFlag, isNumber, isObject, isOneOf, isText, type Shape } from './shape';

export interface RequestRecord {
  /** 1 for the first request of the session. */
  readonly sequence: number;
  readonly languageId: string;
  /** `shown`, or why nothing was. */
  readonly reason: Reason;
  readonly source: CompletionOutcome['source'];
  /** The user asked for it. */
  readonly explicit: boolean;
  /** Times the model was asked: once a line, and once a fork. */
  readonly modelCalls: number;
  /** From the key to the request: the wait of the editor; 0 where no key came before it. ms, as all times here. */
  readonly waitMs: number;
  /** In the engine's queue, all calls together. */
  readonly queueMs: number;
  readonly prefillMs: number;
  readonly decodeMs: number;
  /** What is left of the time to the answer: the prompt is made, the answer judged, and other work on the thread waited for. */
  readonly restMs: number;
  /** All calls together, as the counts below; most of what one reads another has read. */
  readonly promptTokens: number;
  /** Of these, those that were read anew; the KV cache had the others. */
  readonly recomputedTokens: number;
  readonly generatedTokens: number;
  readonly drafted: number;
  readonly accepted: number;
  /** Of the KV cache on this machine: prompt and text of the longest call, which the others share; 0 where the model ran elsewhere. */
  readonly positions: number;
}

/** A request as its end is told. */
export interface EndedRequest {
  readonly sequence: number;
  readonly languageId: string;
  readonly explicit: boolean;
  readonly outcome: CompletionOutcome;
  /** What else is shown when one asks for another. */
  readonly others: readonly CompletionOutcome[];
  /** When the editor asked, and when it was answered: of one clock, ms. */
  readonly askedMs: number;
  readonly answeredMs: number;
}

/** @param keyMs When the key was pressed that led to it, of the same clock; undefined where none did. */
export function recordOf(request: EndedRequest, keyMs: number | undefined): RequestRecord {
  const { sequence, languageId, explicit, outcome, others, askedMs, answeredMs } = request;
  const sum = { queueMs: 0, prefillMs: 0, decodeMs: 0, promptTokens: 0, recomputedTokens: 0 };
  const count = { modelCalls: 0, generatedTokens: 0, drafted: 0, accepted: 0 };
  let positions = 0;
  for (const { timings, drafting, remote = false } of askedOf([outcome, ...others])) {
    const { queueMs, prefillMs, totalMs, promptTokens, reusedTokens, generatedTokens } = timings;
    count.modelCalls++;
    sum.queueMs += queueMs;
    sum.prefillMs += prefillMs;
    sum.decodeMs += Math.max(0, totalMs - queueMs - prefillMs);
    sum.promptTokens += promptTokens;
    sum.recomputedTokens += promptTokens - reusedTokens;
    count.generatedTokens += generatedTokens;
    count.drafted += drafting.drafted;
    count.accepted += drafting.accepted;
    if (!remote) positions = Math.max(positions, promptTokens + generatedTokens);
  }
  const engineMs = sum.queueMs + sum.prefillMs + sum.decodeMs;
  const { headStartMs = 0 } = outcome;
  return {
    sequence,
    languageId: languageId.slice(0, MOST_LANGUAGE_UNITS),
    reason: outcome.reason,
    source: outcome.source,
    explicit,
    waitMs: keyMs === undefined ? 0 : Math.max(0, askedMs - keyMs - headStartMs),
    restMs: Math.max(0, answeredMs - askedMs + headStartMs - engineMs),
    ...sum,
    ...count,
    positions,
  };
}

/** The calls of the model: what several lines are joined to repeats the times of its first call. */
function askedOf(outcomes: readonly CompletionOutcome[]): CompletionOutcome[] {
  return outcomes.flatMap((outcome) => {
    const further = outcome.further ?? [];
    const own = further.some(({ timings }) => timings === outcome.timings) ? [] : [outcome];
    return [...own, ...further].filter(({ source }) => source === 'model');
  });
}

const MOST_LANGUAGE_UNITS = 40;

const isReason: Shape<Reason> = (value): value is Reason =>
  typeof value === 'string' && Object.hasOwn(REASONS, value);

export const isRequestRecord = isObject<RequestRecord>({
  sequence: isCount,
  languageId: isText(MOST_LANGUAGE_UNITS),
  reason: isReason,
  source: isOneOf('model', 'cache', 'none'),
  explicit: isFlag,
  modelCalls: isCount,
  waitMs: isNumber,
  queueMs: isNumber,
  prefillMs: isNumber,
  decodeMs: isNumber,
  restMs: isNumber,
  promptTokens: isCount,
  recomputedTokens: isCount,
  generatedTokens: isCount,
  drafted: isCount,
  accepted: isCount,
  positions: isCount,
});
