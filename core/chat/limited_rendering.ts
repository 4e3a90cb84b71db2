/**
 * Renders a template of a model's file in a process of its own, within limits of time and memory: the file may come from anywhere, and one
 * that never ends, or takes all memory, is to cost whoever chose it a sentence and not the editor. (A thread that runs out of memory takes
 * the whole process with it where a single text is larger than its heap.)
 */
import { join } from 'node:path';
import type { NativeError, NativeResult } from '../engine/native_result';
import { askProcess } from '../engine/own_process';
import { isRenderAnswer, type LimitedOrder, type RenderAnswer, type RenderOrder } from './render_messages';

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
  const { ms, memory } = limits;
  return async (order) => {
    const nodeOptions = [`--max-old-space-size=${memory}`];
    const limited: LimitedOrder = { ...order, limitMs: ms };
    const outcome = await askProcess(limited, { script, limitMs: ms, nodeOptions });
    switch (outcome.kind) {
      case 'answered':
        return isRenderAnswer(outcome.answer)
          ? resultOf(outcome.answer)
          : failed(notRun('it gave no answer'));
      case 'late':
        return failed(overLimit(`it took over ${ms} ms`));
      case 'cancelled':
        return failed(notRun('it was ended'));
      case 'not_started':
        return failed(notRun(outcome.reason));
      case 'ended':
        return failed(
          outcome.code === THREW ? notRun('it ended early') : overLimit('it took too much memory'),
        );
    }
  };
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

function failed(error: NativeError): NativeResult<string> {
  return { ok: false, error };
}
