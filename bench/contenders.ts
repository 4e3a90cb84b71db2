/** Those whose times are compared in a row: ours, and every way in which the peer may be at its best. */
import { join } from 'node:path';
import { ROOT } from '../cli/engine_options';
import { addonPath, kernelLibraryBeside } from '../core/engine/binding';
import { SOURCES } from './build_folder';
import { numberOf, requestLine } from './line_protocol';
import type { DeviceChoice } from '../core/engine/native_types';
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

/** What computes, of both engines; a bench that is to be compared leaves no choice. */
export type BenchDevice = Exclude<DeviceChoice, 'auto'>;

/** How a process is started that measures one of the engines. */
export interface ProcessOptions {
  readonly threads: number;
  readonly device: BenchDevice;
  /** Leave the model alone until `load` is asked for. */
  readonly later: boolean;
}

/**
 * This very program (dist/bench.cjs), as a worker with the product in it.
 * @param storage The folder for what makes later loads quicker; default: one that is kept between runs.
 */
export function ourCommand(model: string, options: ProcessOptions, storage?: string): Command {
  const { threads, device, later } = options;
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
      '--device',
      device,
      ...(storage === undefined ? [] : ['--storage', storage]),
      ...(later ? ['--later'] : []),
    ],
    prompt: byText,
  };
}

/** Both ways in which the Metal device can skip what lies behind the end of a chain; the first is the product's. */
export const CHAIN_SKIPS = ['return', 'indirect'] as const;
export type ChainSkip = (typeof CHAIN_SKIPS)[number];

/** native/forward_bench.cpp, which reaches below the product. */
export function forwardCommand(
  program: string,
  model: string,
  { threads, device }: Pick<ProcessOptions, 'threads' | 'device'>,
  skip: ChainSkip = 'return',
): Command {
  const library = kernelLibraryBeside(addonPath(ROOT));
  const metal = [device, skip, ...(library === undefined ? [] : [library])];
  const args = [model, String(threads), ...(device === 'metal' ? metal : [])];
  return { name: 'Emberline', program, args, prompt: byIds };
}

/** llama.cpp on the same device, in every way in which it may be at its best. */
export function peerCommands(peer: Peer, model: string, options: ProcessOptions): Command[] {
  return options.device === 'metal'
    ? [nodePeerCommand(peer, model, options, options.threads)]
    : cpuPeerCommands(peer, model, options);
}

function nodePeerCommand(
  peer: Peer,
  model: string,
  { device, later }: ProcessOptions,
  threads: number,
): Command {
  return {
    name: device === 'metal' ? 'llama.cpp in Node, Metal' : `llama.cpp in Node, ${threads} threads`,
    program: process.execPath,
    args: [
      join(SOURCES, 'peer', 'node_peer.mjs'),
      model,
      String(threads),
      device,
      ...(later ? ['later'] : []),
    ],
    folder: peer.folder,
    // More threads in libuv's pool put llama.cpp's own on one processor.
    environment: { UV_THREADPOOL_SIZE: '1' },
    prompt: byIds,
  };
}

/** Without Node and inside it, with one thread and with `threads`, with and without a pool of them. */
function cpuPeerCommands(peer: Peer, model: string, options: ProcessOptions): Command[] {
  const { threads, later } = options;
  const rest = later ? ['later'] : [];
  const counts = [...new Set([threads, 1])];
  const node = counts.map((count) => nodePeerCommand(peer, model, options, count));
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
