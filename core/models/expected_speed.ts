/**
 * How fast a model may be expected to be here, before it is loaded: it writes as fast as its weights can be read, nearly, and reads a
 * prompt as fast as this machine multiplies, or as fast as the weights can be read once a slice.
 */
import { kvBytesAPosition, type KvCache } from '../engine/kv_cache';
import { MAX_BATCH_ROWS, type NativeInspection } from '../engine/native_inspection';
import type { NativeResult } from '../engine/native_result';
import type { NativeAddon } from '../engine/native_types';
import { multiplyAddsAToken } from './prefill_cost';

/** Larger buffers are read no slower: no cache holds them. */
const MOST_BYTES = 256 * 1_048_576;
const LEAST_BYTES = 65_536;
/** What the engine reaches of the machine's bandwidth: 54 to 67 % in `npm run bench -- decode` on several processors. */
const PART_OF_BANDWIDTH = 0.6;
/** Tokens before the cursor. */
const POSITIONS = 512;

export interface ExpectedSpeed {
  readonly tokensASecond: number;
  /** To the first token of a prompt of 512 tokens; undefined where nobody measured how fast prompts are read. */
  readonly firstTokenMs: number | undefined;
}

/**
 * On the processor; undefined for a model that does not run, or where nothing can be measured. Takes some 100 ms.
 * @param kvCache How keys and values would be kept.
 * @param prefillRate Multiply-adds a second of reading a prompt.
 */
export async function expectedSpeed(
  addon: Pick<NativeAddon, 'readBandwidth'>,
  inspection: Pick<NativeInspection, 'outline' | 'metadata' | 'tensors'>,
  { kvCache, prefillRate }: { readonly kvCache: KvCache; readonly prefillRate?: number | undefined },
): Promise<ExpectedSpeed | undefined> {
  const { outline } = inspection;
  if (outline === undefined) return undefined;
  const bytes = outline.tokenBytes + POSITIONS * kvBytesAPosition(outline.kvCache[kvCache]);
  const bandwidth = await bandwidthOf(addon, bytes);
  if (!bandwidth.ok) return undefined;
  const bytesASecond = PART_OF_BANDWIDTH * bandwidth.value;
  const tokensASecond = bytesASecond / bytes;
  if (prefillRate === undefined) return { tokensASecond, firstTokenMs: undefined };
  const multiplying = (POSITIONS * multiplyAddsAToken(inspection)) / prefillRate;
  const reading = (Math.ceil(POSITIONS / MAX_BATCH_ROWS) * outline.weightBytes) / bytesASecond;
  return { tokensASecond, firstTokenMs: 1_000 * Math.max(multiplying, reading) };
}

/** How fast the engine's threads read what takes so many bytes, again and again; bytes a second. */
export function bandwidthOf(
  addon: Pick<NativeAddon, 'readBandwidth'>,
  bytes: number,
): Promise<NativeResult<number>> {
  return addon.readBandwidth(Math.round(Math.min(MOST_BYTES, Math.max(LEAST_BYTES, bytes))));
}

/** `9.5`, `42`, `150`: with two digits. */
export function speedText(tokensASecond: number): string {
  return String(Number(tokensASecond < 10 ? tokensASecond.toFixed(1) : tokensASecond.toPrecision(2)));
}

export function speedLine({ tokensASecond, firstTokenMs }: ExpectedSpeed): string {
  const first =
    firstTokenMs === undefined
      ? ''
      : `, and ${timeText(firstTokenMs)} to the first after a prompt of ${POSITIONS},`;
  return `speed: about ${speedText(tokensASecond)} tokens/s${first} expected here, on the processor`;
}

/** To two digits. */
function timeText(ms: number): string {
  return ms < 995 ? `${Number(ms.toPrecision(2))} ms` : `${Number((ms / 1_000).toPrecision(2))} s`;
}
