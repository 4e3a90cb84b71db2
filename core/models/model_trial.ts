/** Tries a model in a process of its own, so that one that brings the engine down takes nothing else with it. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { NativeError, NativeResult } from '../engine/native_result';
import { askProcess } from '../engine/own_process';
import { filesUnder, WalkBudget } from './bounded_walk';
import { shardsOf } from './model_names';
import { isTrialAnswer, type TrialOrder } from './trial_messages';

/** Time for any model: to start a process and compile what a GPU needs, ms. */
const LEAST_MS = 60_000;
/** A slow disk is read so fast while weights are packed, bytes a ms. */
const SLOWEST = 20_000;
/** Names in the folder of a model that are looked at; few have a hundred. */
const MOST_ENTRIES = 10_000;

export interface TrialOptions {
  /** The bundled trial_process. */
  readonly script: string;
  readonly signal?: AbortSignal | undefined;
  /** Default: that of trialLimit. */
  readonly limitMs?: number;
}

/** Settles when the process has answered, died, or been ended: by `signal`, or since it took too long. Never rejects. */
export async function tryModel(
  order: TrialOrder,
  { script, signal, limitMs }: TrialOptions,
): Promise<NativeResult<undefined>> {
  if (signal?.aborted === true) return failed(CANCELLED);
  const limit = limitMs ?? (await trialLimit(order.modelPath));
  const outcome = await askProcess(order, { script, limitMs: limit, signal });
  switch (outcome.kind) {
    case 'answered':
      if (!isTrialAnswer(outcome.answer)) return failed(crashed(order, 'it gave no answer'));
      return outcome.answer.ok ? { ok: true, value: undefined } : outcome.answer;
    case 'late':
      return failed(tooLong(order, limit));
    case 'cancelled':
      return failed(CANCELLED);
    case 'not_started':
      return failed(notStarted(outcome.reason));
    case 'ended':
      return failed(crashed(order, outcome.by ?? `exit status ${outcome.code}`));
  }
}

/** How long a trial may take, by the size of the model's file, of all its shards, or of the weights in its folder, ms. Never rejects. */
export async function trialLimit(modelPath: string): Promise<number> {
  return LEAST_MS + (await bytesOf(modelPath)) / SLOWEST;
}

const CANCELLED: NativeError = { code: 'CANCELLED', message: 'The model was not changed.' };

function failed(error: NativeError): { readonly ok: false; readonly error: NativeError } {
  return { ok: false, error };
}

function notStarted(reason: string): NativeError {
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
  if (file?.isDirectory() !== true) return (file?.size ?? 0) * shardsOf(basename(path));
  const isWeights = (name: string): boolean => name.endsWith('.safetensors');
  const weights = await filesUnder(path, 0, new WalkBudget(MOST_ENTRIES), isWeights);
  return weights.reduce((sum, { bytes }) => sum + bytes, 0);
}
