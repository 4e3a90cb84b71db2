/** llama.cpp's own server for the bench. It is no dependency: only `replay servers` asks for it. */
import { join, resolve } from 'node:path';
import { ROOT } from '../../cli/engine_options';
import { Failure } from '../../cli/failure';
import { readText } from '../../cli/files';
import { type LlamaServer, startLlamaServer } from '../../test/remote/llama_server';
import { LOGS } from '../build_folder';
import { runProgram } from '../program_run';

/** As llama.vscode's own presets start it, with one place, so that a request finds what the last one has read. */
const ARGUMENTS = [
  ...['--batch-size', '1024', '--ubatch-size', '1024', '--cache-reuse', '256'],
  ...['--parallel', '1', '--ctx-size', '8192'],
];

/**
 * Throws Failure.
 * @param program Default: compiled where that was not done yet, which takes a quarter of an hour.
 */
export async function startServer(model: string, program?: string): Promise<LlamaServer> {
  const path = program === undefined ? await compiled() : resolve(program);
  try {
    return await startLlamaServer({ program: path, model, args: ARGUMENTS });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure({
      code: 'PEER_FAILED',
      message: `${path} could not be started (${reason}); see that it is llama.cpp’s llama-server.`,
    });
  }
}

async function compiled(): Promise<string> {
  const log = join(LOGS, 'llama_server.log');
  await runProgram({
    program: process.execPath,
    args: [join(ROOT, 'scripts', 'setup', 'llama_server.mjs')],
    folder: ROOT,
    log,
    failure: { code: 'PEER_INSTALL_FAILED', message: 'llama.cpp’s server could not be compiled.' },
  });
  // Behind what was done, its path.
  return (await readText(log)).trimEnd().split('\n').at(-1) ?? '';
}
