/** What is suggested where the model says what it said before: the rule for where suggestions end, without the model. */
import type { DocumentSnapshot } from '../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { type CompletionOutcome, nothing } from '../../core/completion/outcome';
import { Suggestions } from '../../core/completion/suggestions';
import type { LineRecord } from '../line_record';

/**
 * The suggestion at the cursor.
 * @param lines What the model said of each line, as far as it was asked where less certainty would do.
 * @param leastCertainty How sure a suggestion has to be, 0 to 1.
 */
export function replayed(
  document: DocumentSnapshot,
  lines: readonly LineRecord[],
  leastCertainty: number,
): Promise<CompletionOutcome> {
  let asked = 0;
  const complete = (): Promise<CompletionOutcome> => {
    const line = lines[asked++];
    if (line === undefined) return Promise.resolve(nothing('low_confidence'));
    // Behind the first, all is asked for explicitly.
    const isSure = asked > 1 || (line.certainty >= leastCertainty && line.stop !== 'unsure');
    const { text, reason, stop, certainty, confidence, endProbability, shown } = line;
    const seen = { ...nothing(reason), text, stop, certainty, confidence, endProbability, shown };
    return Promise.resolve(isSure ? seen : { ...seen, shown: false });
  };
  const pipeline = { complete, recall: () => undefined };
  const options = { ...DEFAULT_OPTIONS, leastCertainty };
  const { signal } = new AbortController();
  return new Suggestions(pipeline, () => options, Infinity).complete({ document, signal });
}
