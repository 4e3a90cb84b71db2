/** How fast a model may be expected to decode here, before it is loaded: as fast as its weights can be read, nearly. */
import { kvBytesAPosition, type NativeOutline } from '../engine/native_inspection';
import type { KvCache, NativeAddon } from '../engine/native_types';

/** Larger buffers are read no slower: no cache holds them. */
const MOST_BYTES = 256 * 1_048_576;
const LEAST_BYTES = 65_536;
/** What the engine reaches of the machine's bandwidth: 54 to 67 % in `npm run bench -- decode` on several processors. */
const PART_OF_BANDWIDTH = 0.6;
/** Tokens before the cursor. */
const POSITIONS = 512;

/** Tokens a second on the processor; undefined for a model that does not run, or where nothing can be measured. Takes some 100 ms. */
export async function expectedSpeed(
  addon: Pick<NativeAddon, 'readBandwidth'>,
  outline: NativeOutline | undefined,
  kvCache: KvCache,
): Promise<number | undefined> {
  if (outline === undefined) return undefined;
  const bytes = outline.tokenBytes + POSITIONS * kvBytesAPosition(outline.kvCache[kvCache]);
  const buffer = Math.round(Math.min(MOST_BYTES, Math.max(LEAST_BYTES, bytes)));
  const bandwidth = await addon.readBandwidth(buffer);
  return bandwidth.ok ? (PART_OF_BANDWIDTH * bandwidth.value) / bytes : undefined;
}

/** `9.5`, `42`, `150`: with two digits. */
export function speedText(tokensASecond: number): string {
  return String(Number(tokensASecond < 10 ? tokensASecond.toFixed(1) : tokensASecond.toPrecision(2)));
}
