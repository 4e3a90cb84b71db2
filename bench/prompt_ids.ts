/** The tokens that an engine makes of a prompt's parts. */
import type { Engine } from '../core/engine/engine';
import type { NativePrompt } from '../core/engine/native_types';
import { valueOf } from '../cli/failure';

/** Throws Failure. */
export async function promptIds(engine: Engine, prompt: NativePrompt): Promise<number[]> {
  const ids: number[] = [];
  for (const part of typeof prompt === 'string' ? [prompt] : prompt) {
    if (typeof part === 'number') ids.push(part);
    else ids.push(...valueOf(await engine.tokenize(part, false)));
  }
  return ids;
}
