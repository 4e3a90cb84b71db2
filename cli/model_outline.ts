/** A few lines about a model: what it computes, what it is stored as, what it takes and what it can. */
import {
  KV_CACHES,
  kvBytesAPosition,
  type KvCache,
  kvCacheBytes,
  type NativeKvLayers,
} from '../core/engine/kv_cache';
import { metadataText, type NativeInspection } from '../core/engine/native_inspection';
import { mixOf } from '../core/models/quantization';
import { sizeText } from '../core/models/size_text';

const CONTEXTS = [2_048, 8_192, 32_768];

/** @param kvCache The one that memory is counted with. */
export function outlineLines(inspection: NativeInspection, kvCache: KvCache): string[] {
  const { tensors, outline } = inspection;
  const architecture = metadataText(inspection, 'general.architecture') ?? 'unknown';
  const what = `architecture ${architecture}, ${mixOf(tensors)}`;
  if (outline === undefined) return [what];
  const { weightBytes, contextLength, fim } = outline;
  const layers = outline.kvCache[kvCache];
  const contexts = [...CONTEXTS.filter((context) => context < contextLength), contextLength];
  const sizes = contexts.map(
    (context) => `${context} tokens ${sizeText(weightBytes + kvCacheBytes(layers, context))}`,
  );
  const kinds = KV_CACHES.map((kind) => `${kvText(outline.kvCache[kind], contextLength)} as ${kind}`);
  const marks = Object.entries(fim).map(([part, id]) => `${part} ${id}`);
  return [
    what,
    `memory: ${sizeText(weightBytes)} of weights; with a context of ${sizes.join(', ')}`,
    `keys and values: ${kinds.join(', ')}`,
    fim.prefix === undefined || fim.suffix === undefined
      ? 'fills in the middle: no'
      : `fills in the middle: ${marks.join(', ')}`,
  ];
}

/** `46.1 kB a token`; of layers with a sliding window as many tokens as they keep. */
function kvText(layers: readonly NativeKvLayers[], contextLength: number): string {
  const windowed = layers.filter(({ mostPositions }) => mostPositions < contextLength);
  const limits = windowed.map(
    ({ bytesAPosition, mostPositions }) =>
      `, ${sizeText(bytesAPosition)} of it for ${mostPositions} tokens at most`,
  );
  return `${sizeText(kvBytesAPosition(layers))} a token${limits.join('')}`;
}
