/** What a loaded model costs while nothing is asked of it: memory, and processor time. */
import { type Command, ourCommand } from './contenders';
import { numberOf, requestLine, textOf } from './line_protocol';
import { type ModelUnderTest, prepareBenchModel, prepareModelFile } from './model_under_test';
import { ownRow, type Row } from './report';
import { BENCH_MODELS } from './shapes';
import { median } from './statistics';
import { Worker } from './worker';

const MEMORY = 'load/peak-rss-mb';
const IDLE = 'load/idle-cpu';
const PROMPT_TOKENS = 16;
const BYTES_PER_MB = 1e6;

export interface LoadRowsOptions {
  readonly model?: string;
  readonly repeats: number;
  readonly rows: RegExp;
}

/** Of the file asked for, or the embedded model. Throws Failure. */
export async function loadRows({ model, repeats, rows }: LoadRowsOptions, threads: number): Promise<Row[]> {
  const wanted = [MEMORY, IDLE].filter((name) => rows.test(name));
  const [embedded] = BENCH_MODELS;
  if (wanted.length === 0 || embedded === undefined) return [];
  const subject = model === undefined ? await prepareBenchModel(embedded) : await prepareModelFile(model);
  const command = ourCommand(subject.path, { threads, device: 'cpu', later: false });
  const result: Row[] = [];
  for (const name of wanted) {
    const samples: number[] = [];
    for (let repeat = 1; repeat <= repeats; repeat++) {
      console.error(`${name}: ${repeat} of ${repeats}`);
      samples.push(name === MEMORY ? await memoryOf(subject, command, threads) : await idleOf(command));
    }
    result.push(ownRow(name, name === MEMORY ? 'MB' : 'ms CPU', median(samples)));
  }
  return result;
}

/** Peak memory beyond that of the same program with no model, the file, and the keys and values in use; MB. */
async function memoryOf(
  { path, fileBytes, cost }: ModelUnderTest,
  command: Command,
  threads: number,
): Promise<number> {
  const node = await askFresh(ourCommand(path, { threads, device: 'cpu', later: true }), 'memory', false);
  const loaded = await askFresh(command, 'memory', true);
  const keysAndValues = numberOf(loaded, 'positions') * cost.kvBytesPerPosition;
  const bytes = numberOf(loaded, 'bytes') - numberOf(node, 'bytes') - fileBytes - keysAndValues;
  return bytes / BYTES_PER_MB;
}

/** Processor time of a loaded, idle process within the two seconds a worker waits; ms. */
async function idleOf(command: Command): Promise<number> {
  return numberOf(await askFresh(command, 'idle', true), 'ms');
}

async function askFresh(command: Command, request: string, withPrompt: boolean): ReturnType<Worker['ask']> {
  const worker = await Worker.start(command);
  try {
    if (withPrompt) {
      const text = textOf(await worker.ask(requestLine('compose', PROMPT_TOKENS, 1)));
      await worker.ask(requestLine('text', text));
    }
    return await worker.ask(request);
  } finally {
    await worker.stop();
  }
}
