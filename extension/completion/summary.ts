import type { CompletionOutcome } from './pipeline';
import { REASONS } from './reasons';

/** One line: what happened and how long it took, without any text of the document. */
export function summaryOf(outcome: CompletionOutcome): string {
  const { timings } = outcome;
  const verdict = outcome.shown
    ? `shown from ${outcome.source}`
    : `${outcome.reason} (${REASONS[outcome.reason]})`;
  if (outcome.source !== 'model') return verdict;
  const parts = [
    verdict,
    `${timings.totalMs.toFixed(0)} ms`,
    `prompt ${timings.promptTokens} (${timings.reusedTokens} reused) in ${timings.prefillMs.toFixed(0)} ms`,
    `generated ${timings.generatedTokens}, first after ${timings.firstTokenMs.toFixed(0)} ms`,
    `confidence ${outcome.confidence.toFixed(2)}`,
    `stop ${outcome.stop}`,
  ];
  if (timings.cancelPhase !== 'none') {
    parts.push(`cancelled while ${timings.cancelPhase}, idle after ${timings.cancelMs.toFixed(1)} ms`);
  }
  return parts.join('; ');
}
