/** The best that the machine's own limits allow: what a row is measured against when there is nothing left to gain. */
import type { ModelShape } from './shapes';

/** What a forward pass of a model needs of the machine. */
export interface ModelCost {
  /** Of every weight that a token's forward pass reads: all tensors, the embedding as the output matrix. */
  readonly weightBytes: number;
  /** Of keys and values of one position. */
  readonly kvBytesPerPosition: number;
  /** Multiplications and additions for one token in the matrices of the layers. */
  readonly layerOperations: number;
  /** The same in the output matrix. */
  readonly outputOperations: number;
  /** The same in attention, for each position a token looks at. */
  readonly attentionOperations: number;
}

/** The part of a shape that its cost depends on. */
export type CostShape = Pick<
  ModelShape,
  'layers' | 'width' | 'hidden' | 'heads' | 'kvHeads' | 'headSize' | 'vocabulary'
>;

export interface MachineLimits {
  /** Read from a buffer of the weights' size, bytes a second. */
  readonly bytesPerSecond: number;
  /** 8-bit multiplications and additions a second; null where that is not known, as of GPUs. */
  readonly operationsPerSecond: number | null;
}

const KV_ELEMENT_BYTES = 2;
/** Keys and values. */
const KV_PLANES = 2;
/** A multiplication and an addition. */
const OPERATIONS = 2;

export function modelCost(shape: CostShape, weightBytes: number): ModelCost {
  const { layers, width, hidden, heads, kvHeads, headSize, vocabulary } = shape;
  const queries = heads * headSize;
  const keys = kvHeads * headSize;
  const layerWeights = 2 * width * queries + KV_PLANES * width * keys + 3 * width * hidden;
  return {
    weightBytes,
    kvBytesPerPosition: layers * KV_PLANES * keys * KV_ELEMENT_BYTES,
    layerOperations: OPERATIONS * layers * layerWeights,
    outputOperations: OPERATIONS * width * vocabulary,
    attentionOperations: OPERATIONS * layers * KV_PLANES * queries,
  };
}

/** Seconds for one token when `positions` are before it: every weight and every key and value is read once. */
export function tokenSeconds(cost: ModelCost, limits: MachineLimits, positions: number): number {
  return (cost.weightBytes + positions * cost.kvBytesPerPosition) / limits.bytesPerSecond;
}

/** Tokens that one forward pass evaluates together. */
export interface Pass {
  readonly tokens: number;
  /** Positions before the first of them. */
  readonly positions: number;
  /** For how many of them logits are wanted. */
  readonly logits: number;
}

/** Seconds of one pass: reading the weights or calculating, whichever takes longer and is known. */
export function forwardSeconds(cost: ModelCost, limits: MachineLimits, pass: Pass): number {
  const { tokens, positions, logits } = pass;
  // Token i looks at itself and at the `positions` + i before it.
  const looks = tokens * positions + (tokens * (tokens + 1)) / 2;
  const operations =
    tokens * cost.layerOperations + logits * cost.outputOperations + looks * cost.attentionOperations;
  const calculating = limits.operationsPerSecond === null ? 0 : operations / limits.operationsPerSecond;
  return Math.max(tokenSeconds(cost, limits, positions), calculating);
}
