/** Random tensors in GGUF's block formats, with a scale that keeps a network's activations near one. */
import type { SeededRandom } from '../random';
import type { Quantization } from '../shapes';
import { TENSOR_TYPES } from './gguf_layout';

/** A block of at least so many bytes is a super-block, whose scales lie elsewhere. */
const SUPER_BLOCK_BYTES = 100;
/** Blocks drawn at random; a tensor strings pieces of them together, which is much faster than to draw every one. */
const POOL_BLOCKS = 4_096;
const LEAST_PIECE = 64;
const MOST_PIECE = 1_024;
/** Every so many blocks get a scale of their own, so that no two rows are equal: tokens with equal logits would tie. */
const OWN_SCALE_STEP = 8;

/**
 * Root mean square of a block's integers: uniform over 1..15 less 8 (Q4_0), over 0..15 less 7.5 (Q4_1), over -127..127
 * (Q8_0), over -16..15 (Q5_0); of K-quants over -4..3, 0..15, 0..31 and -32..31 with what is off the middle; of IQ4 over its 16 values. All have
 * mean zero, but Q5_0 and IQ4_NL, whose blocks have scales of either sign in turn: with any other, every matrix would amplify the mean of its
 * input, and after some layers the logits would be the same whatever the prompt.
 */
const INTEGER_RMS: Readonly<Record<Quantization, number>> = {
  q4_0: 4.32,
  q4_1: 4.61,
  q5_0: 9.25,
  q8_0: 73.3,
  q3_k: 2.35,
  q4_k: 4.61,
  q5_k: 9.23,
  q6_k: 18.5,
  iq4_nl: 67.4,
  iq4_xs: 67.4,
};
/** The middle of these is off zero, and there is no offset to move it. */
const OF_EITHER_SIGN: ReadonlySet<Quantization> = new Set(['q5_0', 'iq4_nl']);
/** Half the range of four bits: a Q4_1 block with this offset has mean zero. */
const Q4_MIDDLE = 7.5;

/** Blocks whose elements have root mean square `rms` within a fifth. */
export class BlockPool {
  private readonly random: SeededRandom;
  private readonly type: Quantization;
  private readonly rms: number;
  private readonly blocks: Buffer;
  private readonly blockBytes: number;

  constructor(random: SeededRandom, type: Quantization, rms: number) {
    this.random = random;
    this.type = type;
    this.rms = rms;
    this.blockBytes = TENSOR_TYPES[type].bytes;
    this.blocks = Buffer.allocUnsafe(POOL_BLOCKS * this.blockBytes);
    for (let at = 0; at < this.blocks.length; at++) this.blocks[at] = this.randomByte(type);
    for (let start = 0; start < this.blocks.length; start += this.blockBytes) {
      this.writeScale(this.blocks, start);
    }
  }

  /** `count` blocks. */
  take(count: number): Buffer {
    const { blockBytes, random } = this;
    const result = Buffer.allocUnsafe(count * blockBytes);
    for (let filled = 0; filled < count;) {
      const first = random.below(POOL_BLOCKS);
      const wished = LEAST_PIECE + random.below(MOST_PIECE - LEAST_PIECE);
      const piece = Math.min(count - filled, POOL_BLOCKS - first, wished);
      this.blocks.copy(result, filled * blockBytes, first * blockBytes, (first + piece) * blockBytes);
      filled += piece;
    }
    for (let block = 0; block < count; block += OWN_SCALE_STEP) this.writeScale(result, block * blockBytes);
    return result;
  }

  /** The scale of a block, and the offset of a type that has one. */
  private writeScale(blocks: Buffer, start: number): void {
    const scale = (this.rms * (0.8 + 0.4 * this.random.next())) / INTEGER_RMS[this.type];
    if (this.blockBytes >= SUPER_BLOCK_BYTES) {
      writeSuperScale(blocks, start, this.type, scale);
      return;
    }
    const sign = OF_EITHER_SIGN.has(this.type) && (start / this.blockBytes) % 2 === 1 ? -1 : 1;
    blocks.writeUInt16LE(halfBits(sign * scale), start);
    if (this.type === 'q4_1') blocks.writeUInt16LE(halfBits(-Q4_MIDDLE * scale), start + 2);
  }

  private randomByte(type: Quantization): number {
    const { random } = this;
    switch (type) {
      case 'q4_0':
        return 1 + random.below(15) + 16 * (1 + random.below(15));
      case 'q4_1':
      case 'q5_0':
      case 'q3_k':
      case 'q4_k':
      case 'q5_k':
      case 'q6_k':
      case 'iq4_nl':
      case 'iq4_xs':
        return random.below(256);
      case 'q8_0':
        return (random.below(255) - 127) & 0xff;
    }
  }
}

/**
 * The scales of a super-block: one scale of 6 bits for all its parts, and the minimum that makes the mean zero (Q4_K, Q5_K); or scales
 * of 8 or 6 bits of either sign, which make the mean zero whatever the middle is (Q3_K, Q6_K, IQ4_XS).
 */
function writeSuperScale(blocks: Buffer, start: number, type: Quantization, scale: number): void {
  if (type === 'q6_k') {
    for (let part = 0; part < 16; part++) blocks.writeInt8(part % 2 === 0 ? 63 : -63, start + 192 + part);
    blocks.writeUInt16LE(halfBits(scale / 63), start + 208);
    return;
  }
  if (type === 'q3_k') {
    // Scales of 31 and -31 in turn, as below: the low four bits are nibbles, the upper two stand behind them.
    blocks.writeUInt16LE(halfBits(scale / 31), start + 108);
    for (let part = 0; part < 8; part++) blocks[start + 96 + part] = part % 2 === 0 ? 0xff : 0x11;
    for (let part = 0; part < 4; part++) blocks[start + 104 + part] = part % 2 === 0 ? 0xff : 0;
    return;
  }
  if (type === 'iq4_xs') {
    // Scales of 31 and -31 in turn: 63 and 1 before 32 is taken off, of which two bits stand apart.
    blocks.writeUInt16LE(halfBits(scale / 31), start);
    blocks.writeUInt16LE(0x3333, start + 2);
    blocks.fill(0x1f, start + 4, start + 8);
    return;
  }
  const middle = type === 'q4_k' ? 7.5 : 15.5;
  blocks.writeUInt16LE(halfBits(scale / 63), start);
  blocks.writeUInt16LE(halfBits((middle * scale) / 63), start + 2);
  // All 6-bit numbers are 63.
  blocks.fill(0xff, start + 4, start + 16);
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

/** The value of the bits of a finite IEEE half. */
export function halfValue(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1_024 + fraction) * 2 ** (exponent - 25));
}

/** `count` float32 values around zero with root mean square `rms`. */
export function randomFloats(random: SeededRandom, count: number, rms: number): Buffer {
  const halfWidth = rms * Math.sqrt(3);
  const values = Float32Array.from({ length: count }, () => (2 * random.next() - 1) * halfWidth);
  return Buffer.from(values.buffer);
}
