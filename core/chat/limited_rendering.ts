/**
 * Renders a template of a model's file in a process of its own, within limits of time and memory: the file may come from anywhere, and one
 * that never ends, or takes all memory, is to cost whoever chose it a sentence and not the editor. (A thread that runs out of memory takes
 * the whole process with it where a single text is larger than its heap.)
 */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { NativeError, NativeResult } from '../engine/native_result';
import { isRenderAnswer, type RenderAnswer, type RenderOrder } from './render_messages';

/** Settles with the text; CHAT_TEMPLATE_INVALID, CHAT_TEMPLATE_LIMIT, CHAT_TEMPLATE_NOT_RUN. Never rejects. */
export type RenderTemplate = (order: RenderOrder) => Promise<NativeResult<string>>;

export interface RenderLimits {
  /** From the start of the process, ms. Templates of known models take a few, and the process some tens. */
  readonly ms: number;
  /** Of its heap, MiB. */
  readonly memory: number;
}

export const RENDER_LIMITS: RenderLimits = { ms: 10_000, memory: 64 };

/** The status with which node ends a process that has thrown. */
const THREW = 1;

/** Where the bundled template_process lies under the root of the package, and of the repository. */
export function templateScript(root: string): string {
  return join(root, 'dist', 'template.cjs');
}

/** @param script The bundled template_process. */
export function limitedRendering(script: string, limits: RenderLimits = RENDER_LIMITS): RenderTemplate {
  return async (order) => {
    let child: ChildProcess;
    try {
      child = fork(script, [], {
        // Within Electron, node is a mode of the editor's own program. Options for node are for the extension host.
        env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '' },
        execArgv: [`--max-old-space-size=${limits.memory}`],
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
    } catch (error) {
      return failed(notRun(reasonOf(error)));
    }
    const result = await answerOf(child, order, limits);
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    return result;
  };
}

function answerOf(
  child: ChildProcess,
  order: RenderOrder,
  { ms }: RenderLimits,
): Promise<NativeResult<string>> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(failed(overLimit(`it took over ${ms} ms`))), ms);
    child.once('message', (answer) =>
      resolve(isRenderAnswer(answer) ? resultOf(answer) : failed(notRun('it gave no answer'))),
    );
    child.once('error', (error) => resolve(failed(notRun(reasonOf(error)))));
    child.once('exit', (code) =>
      resolve(failed(code === THREW ? notRun('it ended early') : overLimit('it took too much memory'))),
    );
    child.once('close', () => clearTimeout(timer));
    child.send(order, (error) => {
      if (error !== null) resolve(failed(notRun(error.message)));
    });
  });
}

/** An answer of the process as whoever asked for it gets it. */
export function resultOf(answer: RenderAnswer): NativeResult<string> {
  if (answer.ok) return { ok: true, value: answer.text };
  return failed({
    code: 'CHAT_TEMPLATE_INVALID',
    message: `The chat template of the model's file cannot be used (${answer.reason}); choose another file of the model, or another model.`,
  });
}

function overLimit(how: string): NativeError {
  return {
    code: 'CHAT_TEMPLATE_LIMIT',
    message: `The chat template of the model's file was stopped (${how}); choose another file of the model, or another model.`,
  };
}

function notRun(reason: string): NativeError {
  return {
    code: 'CHAT_TEMPLATE_NOT_RUN',
    message: `The process that lays out a chat could not run (${reason}); restart the editor, or install Emberline again.`,
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'no reason was given';
}

function failed(error: NativeError): NativeResult<string> {
  return { ok: false, error };
}
