/** Keys and values of a context: as what they are kept, and what that takes in memory. */

/** As what keys and values of a context are kept: binary16, or blocks of int8 with a scale, which take 53 % of that. */
export const KV_CACHES = ['f16', 'q8_0'] as const;
export type KvCache = (typeof KV_CACHES)[number];

/** Layers that keep the same positions of a context. */
export interface NativeKvLayers {
  /** Of all these layers together. */
  readonly bytesAPosition: number;
  /** More are never kept, however long the context: whole pages. */
  readonly mostPositions: number;
}

/** Positions of a page: keys and values take memory by whole pages. */
const KV_PAGE_POSITIONS = 256;

/** What keys and values take with a context of `positions` that is full, bytes. */
export function kvCacheBytes(layers: readonly NativeKvLayers[], positions: number): number {
  const paged = Math.ceil(positions / KV_PAGE_POSITIONS) * KV_PAGE_POSITIONS;
  return layers.reduce((sum, one) => sum + one.bytesAPosition * Math.min(paged, one.mostPositions), 0);
}

/** The same for each position at the start of a context, where none is given up. */
export function kvBytesAPosition(layers: readonly NativeKvLayers[]): number {
  return layers.reduce((sum, { bytesAPosition }) => sum + bytesAPosition, 0);
}
