/** How fast prompts are read here: as the embedded model reads one, which comes with the program. */
import { embeddedModelPath } from '../core/engine/binding';
import type { NativeAddon } from '../core/engine/native_types';
import { ROOT, withEngine } from './engine_options';
import { multiplyAddsAToken } from '../core/models/prefill_cost';

/** Tokens of the probe: enough slices that starting does not count. */
const TOKENS = 256;
/** Ids that a prompt may hold; which does not matter. */
const FIRST_ID = 1_000;

/** Multiply-adds a second on the processor, on all threads that pay. Undefined where the embedded model cannot be loaded. Takes half a second. */
export async function prefillRate(addon: Pick<NativeAddon, 'inspect'>): Promise<number | undefined> {
  const inspection = await addon.inspect(embeddedModelPath(ROOT));
  if (!inspection.ok) return undefined;
  const prompt = Array.from({ length: TOKENS }, (_, index) => FIRST_ID + index);
  try {
    return await withEngine({ device: 'cpu', kvCache: 'f16', threads: 0 }, async (engine) => {
      const answer = await engine.complete({ prompt, maxTokens: 1 }, new AbortController().signal);
      if (!answer.ok || !(answer.value.timings.prefillMs > 0)) return undefined;
      return (TOKENS * multiplyAddsAToken(inspection.value)) / (answer.value.timings.prefillMs / 1_000);
    });
  } catch {
    // No room beside what runs, for example: the line about prompts is left out then.
    return undefined;
  }
}
