/** What a user wants to know of a model before choosing it: what it is, whether it runs and fits here, and how fast. By the file's headers alone. */
import { kvCacheBytes } from '../engine/kv_cache';
import { metadataText } from '../engine/native_inspection';
import type { NativeAddon, NativeModelCheck } from '../engine/native_types';
import { expectedSpeed } from './expected_speed';
import { quantizationOf } from './quantization';

export interface Appraisal {
  /** GGUF's `general.architecture`, empty where it is not known. */
  readonly family: string;
  /** `7B`, as the file says it; empty where it does not. */
  readonly size: string;
  /** For example `Q4_K_M`. */
  readonly quantization: string;
  readonly bytes: number;
  /** Of weights, and of keys and values of the whole context; undefined of one that does not run. */
  readonly memory: number | undefined;
  /** Tokens of that context: as many as are set, or as the model can. */
  readonly context: number;
  /** Tokens a second on the processor, where it can be told. */
  readonly speed: number | undefined;
  /** Whether it fills in the middle. */
  readonly fim: boolean;
  /** Why it cannot be used here; empty where it can. */
  readonly obstacle: string;
}

export type AppraisalAddon = Pick<NativeAddon, 'inspect' | 'checkModel' | 'readBandwidth'>;

/**
 * Looks at one model. Never rejects: what is no model has an obstacle.
 * @param options As it would be loaded; `freed` bytes are given up by the one that runs.
 */
export async function appraise(
  addon: AppraisalAddon,
  options: NativeModelCheck & { readonly context: number },
): Promise<Appraisal> {
  const inspected = await addon.inspect(options.path);
  if (!inspected.ok) return unreadable(inspected.error.message);
  const inspection = inspected.value;
  const { outline, unsupported, fileBytes } = inspection;
  const about = {
    family: metadataText(inspection, 'general.architecture') ?? '',
    size: metadataText(inspection, 'general.size_label') ?? '',
    quantization: quantizationOf(inspection),
    bytes: fileBytes,
  };
  if (outline === undefined)
    return { ...about, memory: undefined, context: 0, speed: undefined, fim: false, obstacle: unsupported };
  const checked = await addon.checkModel(options);
  const context = Math.min(options.context, outline.contextLength);
  const { kvCache = 'f16' } = options;
  return {
    ...about,
    memory: outline.weightBytes + kvCacheBytes(outline.kvCache[kvCache], context),
    context,
    speed: (await expectedSpeed(addon, inspection, { kvCache }))?.tokensASecond,
    fim: outline.fim.prefix !== undefined && outline.fim.suffix !== undefined,
    obstacle: checked.ok ? '' : checked.error.message,
  };
}

/** Those that can be used first; of these what fills in the middle, then the larger. */
export function compareAppraisals(one: Appraisal, other: Appraisal): number {
  return (
    Number(one.obstacle !== '') - Number(other.obstacle !== '') ||
    Number(other.fim) - Number(one.fim) ||
    other.bytes - one.bytes
  );
}

/** Memory is read as fast for one model as for another of about its size: it is measured once for each power of two. */
export function measuringOnce(addon: Pick<NativeAddon, 'readBandwidth'>): Pick<NativeAddon, 'readBandwidth'> {
  const measured = new Map<number, ReturnType<NativeAddon['readBandwidth']>>();
  return {
    readBandwidth: (bytes) => {
      const rounded = 2 ** Math.round(Math.log2(bytes));
      const result = measured.get(rounded) ?? addon.readBandwidth(rounded);
      measured.set(rounded, result);
      return result;
    },
  };
}

function unreadable(obstacle: string): Appraisal {
  return {
    family: '',
    size: '',
    quantization: '',
    bytes: 0,
    memory: undefined,
    context: 0,
    speed: undefined,
    fim: false,
    obstacle,
  };
}
