/** Those whose times are compared in a row: ours, and every way in which the peer may be at its best. */
import { join } from 'node:path';
import { SOURCES } from './build_folder';
import { numberOf, requestLine } from './line_protocol';
import type { Peer } from './peer/peer_package';
import type { SpeedRow } from './speed_rows';
import { Worker, type WorkerCommand } from './worker';

/** Starts workers; whoever gives it stops them. */
export type StartWorker = (command: WorkerCommand) => Promise<Worker>;

export interface Contender {
  readonly name: string;
  /** One measurement, milliseconds. Throws Failure. */
  readonly sample: () => Promise<number>;
}

/** How a prompt is told to a worker: ours tokenize the text, as an editor's do; the peer's take the same tokens. */
export interface Prompt {
  readonly text: string;
  readonly ids: readonly number[];
}

export interface Command extends WorkerCommand {
  readonly prompt: (prompt: Prompt) => string;
}

const byText = ({ text }: Prompt): string => requestLine('text', text);
const byIds = ({ ids }: Prompt): string => requestLine('prompt', ...ids);

/** This very program (dist/bench.cjs), as a worker with the product in it. */
export function ourCommand(model: string, threads: number, later: boolean): Command {
  return {
    name: 'Emberline',
    program: process.execPath,
    args: [
      __filename,
      'worker',
      '--model',
      model,
      '--threads',
      String(threads),
      ...(later ? ['--later'] : []),
    ],
    prompt: byText,
  };
}

export function forwardCommand(program: string, model: string, threads: number): Command {
  return { name: 'Emberline', program, args: [model, String(threads)], prompt: byIds };
}

/** llama.cpp without Node and inside it, with one thread and with `threads`, with and without a pool of them. */
export function peerCommands(peer: Peer, model: string, threads: number, later: boolean): Command[] {
  const rest = later ? ['later'] : [];
  const counts = [...new Set([threads, 1])];
  const node = counts.map((count) => ({
    name: `llama.cpp in Node, ${count} threads`,
    program: process.execPath,
    args: [join(SOURCES, 'peer', 'node_peer.mjs'), model, String(count), ...rest],
    folder: peer.folder,
    // More threads in libuv's pool put llama.cpp's own on one processor.
    environment: { UV_THREADPOOL_SIZE: '1' },
    prompt: byIds,
  }));
  const { program, libraries } = peer;
  if (program === undefined) return node;
  const alone = counts.flatMap((count) =>
    (count === 1 ? ['no-pool'] : ['pool', 'no-pool']).map((pool) => ({
      name: `llama.cpp, ${count} threads, ${pool}`,
      program,
      args: [libraries, model, String(count), pool, ...rest],
      prompt: byIds,
    })),
  );
  return [...alone, ...node];
}

/** A contender whose process lives as long as the row is measured, or, for a row that wants them, one for each sample. */
export async function contender(
  command: Command,
  row: SpeedRow,
  prompt: Prompt,
  start: StartWorker,
): Promise<Contender> {
  const { name } = command;
  if (row.fresh) return { name, sample: () => sampleFresh(command, row, prompt) };
  const worker = await start(command);
  await worker.ask(command.prompt(prompt));
  return { name, sample: async () => numberOf(await worker.ask(row.request), 'ms') };
}

async function sampleFresh(command: Command, row: SpeedRow, prompt: Prompt): Promise<number> {
  const worker = await Worker.start(command);
  try {
    await worker.ask(command.prompt(prompt));
    return numberOf(await worker.ask(row.request), 'ms');
  } finally {
    await worker.stop();
  }
}
