/** Random tensors in GGUF's block formats, with a scale that keeps a network's activations near one. */
import type { SeededRandom } from '../random';
import type { Quantization } from '../shapes';
import { TENSOR_TYPES } from './gguf_layout';

/** Blocks drawn at random; a tensor strings pieces of them together, which is much faster than to draw every one. */
const POOL_BLOCKS = 4_096;
const LEAST_PIECE = 64;
const MOST_PIECE = 1_024;

/**
 * Root mean square of the integers of a block: uniform over 0..15 less 7.5 (Q4_1) or 8 (Q4_0), and over -127..127 (Q8_0).
 */
const INTEGER_RMS: Readonly<Record<Quantization, number>> = { q4_0: 4.637, q4_1: 4.61, q8_0: 73.3 };
/** Half the range of four bits: a Q4_1 block with this offset has mean zero. */
const Q4_MIDDLE = 7.5;

/** Blocks whose elements have root mean square `rms` within a fifth. */
export class BlockPool {
  private readonly blocks: Buffer;
  private readonly blockBytes: number;

  private readonly random: SeededRandom;

  constructor(random: SeededRandom, type: Quantization, rms: number) {
    this.random = random;
    this.blockBytes = TENSOR_TYPES[type].bytes;
    this.blocks = Buffer.allocUnsafe(POOL_BLOCKS * this.blockBytes);
    for (let block = 0; block < POOL_BLOCKS; block++) {
      const scale = (rms * (0.8 + 0.4 * random.next())) / INTEGER_RMS[type];
      this.writeBlock(block * this.blockBytes, type, scale);
    }
  }

  /** `count` blocks. */
  take(count: number): Buffer {
    const result = Buffer.allocUnsafe(count * this.blockBytes);
    let filled = 0;
    while (filled < count) {
      const first = this.random.below(POOL_BLOCKS);
      const piece = Math.min(
        count - filled,
        POOL_BLOCKS - first,
        LEAST_PIECE + this.random.below(MOST_PIECE - LEAST_PIECE),
      );
      this.blocks.copy(
        result,
        filled * this.blockBytes,
        first * this.blockBytes,
        (first + piece) * this.blockBytes,
      );
      filled += piece;
    }
    return result;
  }

  private writeBlock(start: number, type: Quantization, scale: number): void {
    const integers = type === 'q4_1' ? start + 4 : start + 2;
    this.blocks.writeUInt16LE(halfBits(scale), start);
    if (type === 'q4_1') this.blocks.writeUInt16LE(halfBits(-Q4_MIDDLE * scale), start + 2);
    for (let at = integers; at < start + this.blockBytes; at++) {
      const byte = this.random.below(256);
      // llama.cpp's quantizer never writes -128.
      this.blocks[at] = type === 'q8_0' && byte === 0x80 ? 0x7f : byte;
    }
  }
}

/** The bits of the IEEE half nearest to `value`, for magnitudes from 2^-24 to 65504. */
export function halfBits(value: number): number {
  const sign = value < 0 ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude < 2 ** -24) return sign;
  const exponent = Math.max(Math.floor(Math.log2(magnitude)), -14);
  const steps = Math.round(magnitude * 2 ** (10 - exponent));
  // A subnormal has no implicit bit; a carry out of the fraction lands in the exponent, where it belongs.
  const bits = exponent === -14 && steps < 1_024 ? steps : steps - 1_024 + ((exponent + 15) << 10);
  return sign | bits;
}

/** `count` float32 values around zero with root mean square `rms`. */
export function randomFloats(random: SeededRandom, count: number, rms: number): Buffer {
  const halfWidth = rms * Math.sqrt(3);
  const values = Float32Array.from({ length: count }, () => (2 * random.next() - 1) * halfWidth);
  return Buffer.from(values.buffer);
}
