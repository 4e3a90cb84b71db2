/** The addon as built, with the embedded model: what the integration tests share. */
import { join } from 'node:path';
import { addonPath, embeddedModelPath, loadAddon } from '../../extension/engine/binding';
import { GREEDY } from '../../extension/engine/engine';
import type {
  NativeAddon,
  NativeCompletionRequest,
  NativeModel,
  NativeResult,
  NativeSession,
} from '../../extension/engine/native_types';

export const ROOT = join(import.meta.dirname, '..', '..');
export const ADDON = addonPath(ROOT);
export const MODEL = embeddedModelPath(ROOT);

export function valueOf<T>(result: NativeResult<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** `OK`, or the code of the error. */
export function codeOf(result: NativeResult<unknown>): string {
  return result.ok ? 'OK' : result.error.code;
}

export const addon: NativeAddon = valueOf(loadAddon(ADDON));

export async function loadModel(): Promise<NativeModel> {
  return valueOf(await addon.loadModel({ path: MODEL, threads: 0, device: 'auto' }));
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
    sampling: GREEDY,
    ...changes,
  };
}

/** Source text of at least `lines` lines, no two alike, about twelve tokens each. */
export function sourceText(lines: number): string {
  return Array.from({ length: lines }, (_, i) => `value_${i} = compute(${i}, other_${i + 1})\n`).join('');
}
