/** A person types in files, key after key: how long until it is known what to show. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../cli/engine_options';
import { Failure } from '../../cli/failure';
import { snapshotOfText } from '../../core/completion/document';
import { languageOfPath } from '../../core/completion/languages';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { type CompletionOutcome, CompletionPipeline } from '../../core/completion/pipeline';
import type { Engine } from '../../core/engine/engine';
import { ownRow, type Row } from '../report';
import { median, quantile } from '../statistics';

const FOLDER = join(ROOT, 'bench', 'cases', 'sources');

/** Where somebody types: from behind the first occurrence of `behind` on, what stands there until `keys` keys are typed. */
interface Stretch {
  readonly file: string;
  readonly behind: string;
}

const STRETCHES: readonly Stretch[] = [
  { file: 'todo_store.js', behind: 'export class TodoStore {' },
  { file: 'inventory.py', behind: 'class ' },
  { file: 'matrix.py', behind: '    def __add__(self, other):\n' },
  { file: 'router.js', behind: 'async function readBody(request) {' },
];
const KEYS = 100;

export interface Key {
  readonly ms: number;
  /** The first one in its file for which the model ran: no prompt like it was read before. */
  readonly first: boolean;
  readonly source: CompletionOutcome['source'];
}

/** Throws Failure. */
export async function typeAll(engine: Engine): Promise<Key[]> {
  const pipeline = new CompletionPipeline(engine, () => DEFAULT_OPTIONS);
  const keys: Key[] = [];
  for (const stretch of STRETCHES) keys.push(...(await type(pipeline, stretch)));
  return keys;
}

async function type(pipeline: CompletionPipeline, { file, behind }: Stretch): Promise<Key[]> {
  const text = await readFile(join(FOLDER, file), 'utf8');
  const start = text.indexOf(behind) + behind.length;
  if (start < behind.length) {
    throw new Failure({ code: 'INVALID_ARGUMENT', message: `${file} has no '${behind}'.` });
  }
  const { signal } = new AbortController();
  // What is to be typed is not there yet, to the end of its last line.
  const rest = text.slice(text.indexOf('\n', start + KEYS));
  const keys: Key[] = [];
  for (let typed = 1; typed <= KEYS; typed++) {
    const offset = start + typed;
    const began = performance.now();
    const document = snapshotOfText({
      uri: `file:${file}`,
      path: file,
      languageId: languageOfPath(file),
      text: text.slice(0, offset) + rest,
      offset,
    });
    const { source, error } = await pipeline.complete({ document, signal });
    if (error !== undefined) throw new Failure(error);
    const ms = performance.now() - began;
    keys.push({ ms, first: source === 'model' && keys.every((key) => key.source !== 'model'), source });
  }
  return keys;
}

/**
 * Of all keys but the first in each file; of those for which the model ran; and of the first ones. A row without keys is left
 * out.
 */
export function typingRows(keys: readonly Key[]): Row[] {
  const times = (some: (key: Key) => boolean): number[] => keys.filter(some).map(({ ms }) => ms);
  const timeRow = (name: string, ms: readonly number[], figure: (ms: readonly number[]) => number): Row[] =>
    ms.length === 0 ? [] : [ownRow(`replay/${name}`, 'ms', figure(ms))];
  const slow = (ms: readonly number[]): number => quantile(ms, 0.95);
  const warm = times(({ first }) => !first);
  const asked = times(({ first, source }) => !first && source === 'model');
  return [
    ownRow('replay/keys', 'keys', keys.length),
    ownRow('replay/keys-asking-the-model', 'keys', keys.filter(({ source }) => source === 'model').length),
    ...timeRow('key-to-ghost-p50-ms', warm, median),
    ...timeRow('key-to-ghost-p95-ms', warm, slow),
    ...timeRow('key-to-model-p50-ms', asked, median),
    ...timeRow('key-to-model-p95-ms', asked, slow),
    ...timeRow(
      'first-key-in-file-ms',
      times(({ first }) => first),
      median,
    ),
  ];
}
