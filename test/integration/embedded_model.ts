/** The addon as built, with the embedded model: what the integration tests share. */
import { join } from 'node:path';
import { valueOf } from '../../cli/failure';
import { limitedRendering, templateScript } from '../../core/chat/limited_rendering';
import { addonPath, embeddedModelPath, loadAddon } from '../../core/engine/binding';
import { GREEDY, NO_DRAFTING } from '../../core/engine/engine_request';
import {
  type DeviceChoice,
  DEVICES,
  type NativeAddon,
  type NativeCompletion,
  type NativeCompletionRequest,
  type NativeModel,
  type NativeSession,
} from '../../core/engine/native_types';
import type { NativeResult } from '../../core/engine/native_result';

export const ROOT = join(import.meta.dirname, '..', '..');
export const ADDON = addonPath(ROOT);
export const MODEL = embeddedModelPath(ROOT);

/** Lays a chat out, within the limits that a user has. */
export const render = limitedRendering(templateScript(ROOT));

/** What computes in tests that are the same on every device; the machine with a GPU sets it. */
export const DEVICE = deviceOf(process.env['EMBERLINE_TEST_DEVICE'] ?? 'auto');

function deviceOf(name: string): DeviceChoice {
  const device = DEVICES.find((one) => one === name);
  if (device === undefined)
    throw new Error(`EMBERLINE_TEST_DEVICE is ${name}, not one of ${DEVICES.join(', ')}.`);
  return device;
}

export { valueOf };

/** `OK`, or the code of the error. */
export function codeOf(result: NativeResult<unknown>): string {
  return result.ok ? 'OK' : result.error.code;
}

export const addon: NativeAddon = valueOf(loadAddon(ADDON));

export async function loadModel(): Promise<NativeModel> {
  return valueOf(await addon.loadModel({ path: MODEL, threads: 0, device: DEVICE }));
}

export async function openSession(model: NativeModel, context = 2_048): Promise<NativeSession> {
  return valueOf(await model.createSession({ context }));
}

let lastId = 0;

/** A greedy request with a fresh id. */
export function request(
  prompt: string,
  changes: Partial<NativeCompletionRequest> = {},
): NativeCompletionRequest {
  return {
    id: ++lastId,
    prompt,
    parseSpecial: false,
    requiredPrefix: '',
    maxTokens: 8,
    singleLine: true,
    banBlankStart: true,
    leastConfidence: 0,
    sampling: GREEDY,
    drafting: NO_DRAFTING,
    references: [],
    remembered: 0,
    rememberedBeside: 0,
    lead: new Uint32Array(),
    barred: new Uint32Array(),
    ...changes,
  };
}

/** Long enough that nothing but a cancel ends it during a test. */
export const LONG = { maxTokens: 1_500, singleLine: false } as const;

/** A request that is decoding when this settles. */
export async function decoding(
  on: NativeSession,
  prompt = 'import os\n',
): Promise<{ id: number; answer: Promise<NativeResult<NativeCompletion>> }> {
  const long = request(prompt, LONG);
  let answer: Promise<NativeResult<NativeCompletion>> | undefined;
  await new Promise<void>((resolve) => {
    answer = on.complete(long, () => resolve());
  });
  if (answer === undefined) throw new Error('not begun');
  return { id: long.id, answer };
}

/** Source text of at least `lines` lines, no two alike, about twelve tokens each. */
export function sourceText(lines: number): string {
  return Array.from({ length: lines }, (_, i) => `value_${i} = compute(${i}, other_${i + 1})\n`).join('');
}
