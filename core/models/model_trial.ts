/** Tries a model in a process of its own, so that one that brings the engine down takes nothing else with it. */
import { type ChildProcess, fork } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { NativeError, NativeResult } from '../engine/native_result';
import { isTrialAnswer, type TrialOrder } from './trial_messages';

/** Time for any model: to start a process and compile what a GPU needs, ms. */
const LEAST_MS = 60_000;
/** A slow disk is read so fast while weights are packed, bytes a ms. */
const SLOWEST = 20_000;

export interface TrialOptions {
  /** The bundled trial_process. */
  readonly script: string;
  readonly signal?: AbortSignal | undefined;
  /** Default: by the size of the file. */
  readonly limitMs?: number;
}

/** Settles when the process has answered, died, or been ended: by `signal`, or since it took too long. Never rejects. */
export async function tryModel(
  order: TrialOrder,
  { script, signal, limitMs }: TrialOptions,
): Promise<NativeResult<undefined>> {
  if (signal?.aborted === true) return failed(CANCELLED);
  const limit = limitMs ?? LEAST_MS + (await bytesOf(order.modelPath)) / SLOWEST;
  let child: ChildProcess;
  try {
    child = fork(script, [], {
      // Within Electron, node is a mode of the editor's own program. Options for node are for the extension host.
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '' },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
  } catch (error) {
    return failed(notStarted(error));
  }
  const result = await new Promise<NativeResult<undefined>>((resolve) => {
    const timer = setTimeout(() => resolve(failed(tooLong(order, limit))), limit);
    const cancel = (): void => resolve(failed(CANCELLED));
    signal?.addEventListener('abort', cancel, { once: true });
    child.once('message', (answer) => {
      if (!isTrialAnswer(answer)) resolve(failed(crashed(order, 'it gave no answer')));
      else resolve(answer.ok ? { ok: true, value: undefined } : answer);
    });
    child.once('error', (error) => resolve(failed(notStarted(error))));
    child.once('exit', (code, ended) => resolve(failed(crashed(order, ended ?? `exit status ${code}`))));
    child.once('close', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    });
    child.send(order, (error) => {
      if (error !== null) resolve(failed(notStarted(error)));
    });
  });
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  return result;
}

const CANCELLED: NativeError = { code: 'CANCELLED', message: 'The model was not changed.' };

function failed(error: NativeError): { readonly ok: false; readonly error: NativeError } {
  return { ok: false, error };
}

function notStarted(error: unknown): NativeError {
  const reason = error instanceof Error ? error.message : 'no reason was given';
  return {
    code: 'TRIAL_NOT_STARTED',
    message: `The process that tries a model could not be started (${reason}); install Emberline again.`,
  };
}

function crashed({ modelPath }: TrialOrder, how: string): NativeError {
  return {
    code: 'MODEL_CRASHED',
    message: `The engine broke down when it tried ${basename(modelPath)} (${how}); choose another model, or get the file again.`,
  };
}

function tooLong({ modelPath }: TrialOrder, limit: number): NativeError {
  const seconds = Math.round(limit / 1_000);
  return {
    code: 'MODEL_TOO_SLOW',
    message: `${basename(modelPath)} wrote nothing within ${seconds} s; choose a smaller model, or try again when the machine has less to do.`,
  };
}

async function bytesOf(path: string): Promise<number> {
  const file = await stat(path).catch(() => undefined);
  return file?.size ?? 0;
}
