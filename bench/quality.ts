/**
 * The quality suite: completes cases the way an editor would, drawn at its temperature and greedily, and compares with what the
 * authors wrote.
 */
import { join } from 'node:path';
import { ROOT } from '../cli/engine_options';
import { Failure } from '../cli/failure';
import { writeBytes } from '../cli/files';
import { snapshotOfText } from '../extension/completion/document';
import type { CompletionEngine } from '../extension/completion/engine_port';
import { languageOfPath } from '../extension/completion/languages';
import { DEFAULT_OPTIONS } from '../extension/completion/options';
import { CompletionPipeline } from '../extension/completion/pipeline';
import { DEFAULT_SAMPLING, type SamplingOptions } from '../extension/completion/sampling';
import { readExpectedCases, type CompletionCase } from './completion_case';
import { jsonLines } from './json_lines';
import { isExact, qualityRows, type Completed } from './quality_rows';
import type { Row } from './report';

/** The committed case set. */
export const OWN_CASES = join(ROOT, 'bench', 'cases', 'own.jsonl');

const GREEDY: SamplingOptions = { ...DEFAULT_SAMPLING, temperature: 0 };

/** How often a person who waits is told how far it is, cases. */
const PROGRESS_STEP = 50;

export interface QualityOptions {
  /** A file of cases. */
  readonly cases: string;
  /** Tokens of prompt; 0 follows the measured speed, as the editor does. */
  readonly promptTokens: number;
  /** A file to write each place to, with what was proposed there. */
  readonly details?: string;
}

export async function runQuality(engine: CompletionEngine, options: QualityOptions): Promise<Row[]> {
  const cases = await readExpectedCases(options.cases);
  const drawn: Completed[] = [];
  const greedy: Completed[] = [];
  for (const one of cases) {
    drawn.push(await complete(engine, one, options.promptTokens, DEFAULT_SAMPLING));
    greedy.push(await complete(engine, one, options.promptTokens, GREEDY));
    if (drawn.length % PROGRESS_STEP === 0) console.error(`${drawn.length} of ${cases.length} places`);
  }
  if (options.details !== undefined) {
    const details = [
      ...drawn.map((one) => detailsOf(one, DEFAULT_SAMPLING)),
      ...greedy.map((one) => detailsOf(one, GREEDY)),
    ];
    await writeBytes(options.details, jsonLines(details));
  }
  return [...qualityRows(drawn), ...qualityRows(greedy, 'quality/greedy-')];
}

/** Completes one case, as if its file had just been opened. Throws Failure when the engine reports an error. */
async function complete(
  engine: CompletionEngine,
  one: CompletionCase,
  promptTokens: number,
  sampling: SamplingOptions,
): Promise<Completed> {
  const pipeline = new CompletionPipeline(engine, () => ({ ...DEFAULT_OPTIONS, promptTokens, sampling }));
  const document = snapshotOfText({
    uri: `case:${one.id}`,
    path: one.path,
    languageId: languageOfPath(one.path),
    text: one.prefix + one.suffix,
    offset: one.prefix.length,
  });
  const { signal } = new AbortController();
  const outcome = await pipeline.complete({ document, signal, evenIfRefused: true });
  if (outcome.error !== undefined) throw new Failure(outcome.error);
  const { text, shown, reason, confidence, timings } = outcome;
  return { case: one, text, shown, reason, confidence, timings };
}

function detailsOf(completed: Completed, { temperature }: SamplingOptions): object {
  const { id, path, prefix, expected } = completed.case;
  const { text, shown, reason, confidence, timings } = completed;
  const line = prefix.slice(prefix.lastIndexOf('\n') + 1);
  const exact = isExact(completed);
  return { id, path, temperature, exact, line, text, expected, shown, reason, confidence, timings };
}
