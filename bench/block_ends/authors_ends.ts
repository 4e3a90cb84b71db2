/**
 * Where an editor would end a block that its author wrote line by line: what is known of ends, apart from what else the model would write. A block is at its end
 * where the model says so or goes on with what stands below (core/completion/block_lines.ts), and where its lines say that it is over.
 */
import { BlockLines } from '../../core/completion/block_lines';
import { type DocumentSnapshot, withTyped } from '../../core/completion/document';
import type { CompletionEngine } from '../../core/completion/engine_port';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { CompletionPipeline } from '../../core/completion/pipeline';
import { DEFAULT_SAMPLING } from '../../core/completion/sampling';
import { type CompletionCase, documentOf } from '../completion_case';
import { byLanguage } from '../languages';
import { numbersTable } from '../report';

/** Of the author's block, behind each of its lines. */
export interface AuthorsEnd {
  readonly path: string;
  /** Whether it is over behind the last one. */
  readonly there: boolean;
  /** Whether it is behind an earlier one. */
  readonly before: boolean;
}

/** The model is asked greedily. Throws Failure. */
export async function authorsEndOf(
  engine: CompletionEngine,
  one: CompletionCase,
  promptTokens: number,
): Promise<AuthorsEnd> {
  const sampling = { ...DEFAULT_SAMPLING, temperature: 0 };
  const options = { ...DEFAULT_OPTIONS, promptTokens, sampling, leastCertainty: 0 };
  const pipeline = new CompletionPipeline(engine, () => options);
  const document = documentOf(one);
  const [first = '', ...others] = one.expected.trimEnd().split('\n');
  const lines = new BlockLines(document, first);
  for (const line of others) {
    if ((await isOver(pipeline, document, lines)) || !lines.add(line))
      return { path: one.path, there: false, before: true };
  }
  return { path: one.path, there: await isOver(pipeline, document, lines), before: false };
}

async function isOver(
  pipeline: CompletionPipeline,
  document: DocumentSnapshot,
  lines: BlockLines,
): Promise<boolean> {
  const { signal } = new AbortController();
  const place = withTyped(document, `${lines.all}\n`);
  const next = await pipeline.complete({ document: place, signal, explicit: true, mayEnd: true });
  const comes = next.reason === 'blank_result' || next.text !== '';
  return (comes && lines.endBefore(next.text)) || (next.stop === 'end_token' && next.text === '');
}

/** Of each language and of all: how many blocks are over where their authors ended them, and too early. */
export function authorsEndsTable(ends: readonly AuthorsEnd[]): string[] {
  const cells = byLanguage(ends, ({ path }) => path).map(([name, some]) => {
    const percent = (holds: (one: AuthorsEnd) => boolean): string =>
      ((100 * some.filter(holds).length) / some.length).toFixed(1);
    return [name, `${some.length}`, percent(({ there }) => there), percent(({ before }) => before)];
  });
  return numbersTable(['given lines of', 'places', 'ends there %', 'before %'], cells);
}
