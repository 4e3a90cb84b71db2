import type { CompletionOutcome } from './outcome';
import { REASONS } from './reasons';
import type { SchemaNote } from './schema_port';
import { SCHEMA_USES } from './schema_use';

/** One line: what happened and how long it took, without any text of the document. */
export function summaryOf(outcome: CompletionOutcome): string {
  const verdict = outcome.shown
    ? `shown from ${outcome.source}${outcome.remote === true ? ' elsewhere' : ''}`
    : `${outcome.reason} (${REASONS[outcome.reason]})`;
  const schema = outcome.schema === undefined ? '' : `; schema ${schemaOf(outcome.schema)}`;
  const certainty = outcome.source === 'none' ? '' : `; certainty ${outcome.certainty.toFixed(2)}`;
  return (outcome.source === 'model' ? `${verdict}; ${workOf(outcome)}` : verdict) + certainty + schema;
}

/** What the engine did, and how long it took. */
export function workOf(
  work: Pick<CompletionOutcome, 'timings' | 'confidence' | 'stop' | 'drafting'>,
): string {
  const { timings } = work;
  const parts = [
    `${timings.totalMs.toFixed(0)} ms`,
    `prompt ${timings.promptTokens} (${timings.reusedTokens} reused) in ${timings.prefillMs.toFixed(0)} ms`,
    `generated ${timings.generatedTokens}, first after ${timings.firstTokenMs.toFixed(0)} ms`,
    `confidence ${work.confidence.toPrecision(2)}`,
    `stop ${work.stop}`,
  ];
  const { drafted, accepted, batches } = work.drafting;
  if (drafted > 0) parts.push(`drafted ${drafted}, accepted ${accepted} in ${batches} batches`);
  if (timings.cancelPhase !== 'none') {
    parts.push(`cancelled while ${timings.cancelPhase}, idle after ${timings.cancelMs.toFixed(1)} ms`);
  }
  return parts.join('; ');
}

/** Whether it followed a schema, and which. */
export function schemaOf({ use, detail }: SchemaNote): string {
  return `${use} (${detail === '' ? SCHEMA_USES[use] : detail})`;
}
