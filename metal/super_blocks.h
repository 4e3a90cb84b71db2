// K-quants: super-blocks of 256 elements whose groups of 32, or 16, have scales (native/gguf/tensor_type.h).
// They are read as the file has them, each byte by one lane of the 16 that share a super-block.
//
// A byte of quants has elements of two groups (Q4_K, Q5_K) or four (Q2_K, Q3_K, Q6_K), so a unit has two or
// four parts. Scales are 12 to 18 bytes a super-block for all 16 lanes: a word of them is read by one lane
// and shuffled to those that need it, which unpack their own scales only. One of two neighbouring lanes
// unpacks row a's for both, the other row b's.
#pragma once

#include "weight_unit.h"

// Word `word` of row a's own words (unit even) or b's, for all 16 lanes from `base` on.
inline uint own_word(uint own, uint word, uint unit, uint base) {
  return simd_shuffle(own, ushort(base + 2 * word + unit % 2));
}
// The element of a lane's own words: lanes 2w and 2w + 1 have word w of rows a and b.
inline uint own_index(uint unit) {
  return unit % 16 / 2;
}

// What super-blocks of kBytes bytes have in common.
template <uint kBytes>
struct SuperBlocks : NoCodes {
  enum : uint { kUnit = 16, kVectors = 4, kScaled = 1, kCoded = 0, kHeader = 1, kBlockBytes = kBytes };

  static ulong row_bytes(uint in) { return ulong(in / 256) * kBlockBytes; }
  // Of unit, or run, `unit`.
  static device const uchar* block(device const uchar* row, uint unit) {
    return row + ulong(unit / 16) * kBlockBytes;
  }
  static uint run_column(uint run, uint vector) { return run * 16 + vector * 4; }
  static uint2 gather_bits(uint, uint, uint, uint) { return uint2(0, 0); }
};

// Q4_K and Q5_K: d and the minima's factor, 12 bytes of scales and minima, fifth bits if any, nibbles. Groups
// 2c and 2c + 1, of 32 elements, are the low and the high nibbles of chunk c, 32 bytes; a unit takes 8 of
// them. Bit b of byte i of the fifth bits is that of element i of group b.
template <bool kFifthBits>
struct ChunkedSuperBlocks : SuperBlocks<kFifthBits ? 176 : 144> {
  using Base = SuperBlocks<kFifthBits ? 176 : 144>;
  enum : uint {
    kParts = 2,
    kOffset = 1,
    kBits = kFifthBits ? 2 : 0,
    kFifthBitsAt = 16,
    kNibblesAt = kFifthBits ? 48 : 16,
  };

  static uint column(uint unit, uint vector) {
    return unit / 16 * 256 + unit % 16 / 4 * 64 + vector / 2 * 32 + unit % 4 * 8 + vector % 2 * 4;
  }

  // Scales and minima of a chunk's two groups, a byte each: scale, scale, minimum, minimum. Of the 12 bytes,
  // the low 6 bits of 0 to 3 and 4 to 7 are scales and minima of groups 0 to 3; the others have their low 4
  // bits in a nibble of bytes 8 to 11, and their upper 2 on top of the first 8.
  static uint unpack(uint scales, uint minima, uint others, uint chunk) {
    const uint shift = chunk % 2 * 16;
    const uint a = scales >> shift & 0xFFFFu, b = minima >> shift & 0xFFFFu, c = others >> shift & 0xFFFFu;
    const bool early = chunk < 2;
    const uint two_scales = early ? a & 0x3F3Fu : (c & 0x0F0Fu) | (a >> 2 & 0x3030u);
    const uint two_minima = early ? b & 0x3F3Fu : (c >> 4 & 0x0F0Fu) | (b >> 2 & 0x3030u);
    return two_scales | two_minima << 16;
  }

  static OwnWords fetch_own(device const uchar* row, uint unit) {
    device const uint* words = (device const uint*)Base::block(row, unit);
    const uint word = own_index(unit);
    OwnWords own;
    own.header = word < 4 ? words[word] : 0;
    own.bits = kFifthBits ? words[kFifthBitsAt / 4 + word] : 0;
    return own;
  }
  static uint2 gather(uint own, uint unit, uint base) {
    const uint factors = own_word(own, 0, unit, base);
    const uint scales = own_word(own, 1, unit, base), minima = own_word(own, 2, unit, base),
               others = own_word(own, 3, unit, base);
    return uint2(factors, unpack(scales, minima, others, unit % 16 / 4));
  }
  static uint2 gather_bits(uint own, uint unit, uint base, uint row) {
    const uint first = base + 4 * (unit % 4) + row;
    const uint low = simd_shuffle(own, ushort(first));
    return uint2(low, simd_shuffle(own, ushort(first + 2)));
  }

  struct Raw {
    uint2 nibbles;
  };

  static Raw fetch(device const uchar* row, uint unit, uint) {
    Raw raw;
    raw.nibbles = two_words(Base::block(row, unit) + kNibblesAt + unit % 16 * 8);
    return raw;
  }

  static void decode(Raw raw, uint2 header, uint2 bits, uint unit, threadgroup const float*,
                     thread WeightUnit& to) {
    uint4 bytes = uint4(raw.nibbles, raw.nibbles >> 4) & 0x0F0F0F0Fu;
    if (kFifthBits) {
      const uint2 low = bits >> (unit % 16 / 4 * 2);
      bytes |= (uint4(low, low >> 1) & 0x01010101u) << 4;
    }
#pragma unroll
    for (uint v = 0; v < 4; ++v) to.q[v] = unsigned_bytes(bytes[v]);
    const float4 factors = unsigned_bytes(header.y);
    to.scale.xy = half_bits(header.x) * factors.xy;
    to.offset.xy = -half_bits(header.x >> 16) * factors.zw;
  }

  static void load_run(device const uchar* row, uint run, uint, threadgroup const float*,
                       thread WeightUnit& to) {
    device const uchar* from = Base::block(row, run);
    device const uint* words = (device const uint*)from;
    const uint group = run % 16 / 2, chunk = group / 2, first = run % 2 * 16;
    device const uchar* nibbles = from + kNibblesAt + chunk * 32 + first;
#pragma unroll
    for (uint v = 0; v < 4; ++v) {
      uint bytes = one_word(nibbles + 4 * v) >> (group % 2 * 4) & 0x0F0F0F0Fu;
      if (kFifthBits) bytes |= (one_word(from + kFifthBitsAt + first + 4 * v) >> group & 0x01010101u) << 4;
      to.q[v] = unsigned_bytes(bytes);
    }
    const float4 factors = unsigned_bytes(unpack(words[1], words[2], words[3], chunk));
    to.scale.x = half_bits(words[0]) * (group % 2 == 0 ? factors.x : factors.y);
    to.offset.x = -half_bits(words[0] >> 16) * (group % 2 == 0 ? factors.z : factors.w);
  }
};

// What Q2_K, Q3_K and Q6_K have in common: half a super-block, 128 elements, shares bytes of 2 bits; element
// 32v + i of it is in bits 2v and 2v + 1 of byte i. A unit takes 4 bytes, and each of its 4 vectors has a
// scale of its own: scale 2v + i / 16 of the half's 8.
template <uint kBytes>
struct QuarteredSuperBlocks : SuperBlocks<kBytes> {
  enum : uint { kParts = 4 };

  static uint column(uint unit, uint vector) {
    return unit / 16 * 256 + unit % 16 / 8 * 128 + vector * 32 + unit % 8 * 4;
  }
  // Of the unit's four vectors 0, 2, 1 and 3, a byte each, of the 8 bytes of a half's scales.
  static uint every_other(uint first, uint second, uint unit) {
    const uint shift = unit % 8 / 4 * 8;
    return (first >> shift & 0x00FF00FFu) | (second >> shift & 0x00FF00FFu) << 8;
  }
};

// Q6_K: 128 bytes of nibbles, 64 of upper bits, 16 scales (int8), d: 210 bytes, only 2-byte aligned. Of half
// a super-block vectors 0 and 1 are the low nibbles of two times 32 bytes, 2 and 3 the high ones.
struct Q6_K : QuarteredSuperBlocks<210> {
  enum : uint { kOffset = 0, kBits = 0, kUpperAt = 128, kScalesAt = 192, kFactorAt = 208 };

  static OwnWords fetch_own(device const uchar* row, uint unit) {
    device const uchar* from = block(row, unit);
    const uint word = own_index(unit);
    OwnWords own;
    own.header = 0;
    if (word < 4) own.header = one_word(from + kScalesAt + 4 * word);
    if (word == 4) own.header = *(device const ushort*)(from + kFactorAt);
    own.bits = 0;
    return own;
  }
  static uint2 gather(uint own, uint unit, uint base) {
    const uint half_block = unit % 16 / 8;
    const uint first = own_word(own, 2 * half_block, unit, base),
               second = own_word(own, 2 * half_block + 1, unit, base);
    return uint2(own_word(own, 4, unit, base), every_other(first, second, unit));
  }

  struct Raw {
    uint2 nibbles;
    uint upper;
  };

  static Raw fetch(device const uchar* row, uint unit, uint) {
    device const uchar* from = block(row, unit);
    const uint half_block = unit % 16 / 8, first = unit % 8 * 4;
    Raw raw;
    raw.nibbles.x = one_word(from + 64 * half_block + first);
    raw.nibbles.y = one_word(from + 64 * half_block + 32 + first);
    raw.upper = one_word(from + kUpperAt + 32 * half_block + first);
    return raw;
  }

  // 4 (q - 32), a signed byte each, of the nibbles shifted to bit 2 and the upper bits to bit 6.
  static float4 quants(uint nibbles, uint upper) {
    return signed_bytes(((nibbles & 0x3C3C3C3Cu) | (upper & 0xC0C0C0C0u)) ^ 0x80808080u);
  }

  static void decode(Raw raw, uint2 header, uint2, uint, threadgroup const float*, thread WeightUnit& to) {
    to.q[0] = quants(raw.nibbles.x << 2, raw.upper << 6);
    to.q[1] = quants(raw.nibbles.y << 2, raw.upper << 4);
    to.q[2] = quants(raw.nibbles.x >> 2, raw.upper << 2);
    to.q[3] = quants(raw.nibbles.y >> 2, raw.upper);
    to.scale = half_bits(header.x) * 0.25f * signed_bytes(header.y).xzyw;
    to.offset = float4(0.0f);
  }

  static void load_run(device const uchar* row, uint run, uint, threadgroup const float*,
                       thread WeightUnit& to) {
    device const uchar* from = block(row, run);
    const uint half_block = run % 16 / 8, quarter = run % 8 / 2, first = run % 2 * 16;
    device const uchar* nibbles = from + 64 * half_block + quarter % 2 * 32 + first;
    device const uchar* upper = from + kUpperAt + 32 * half_block + first;
#pragma unroll
    for (uint v = 0; v < 4; ++v) {
      const uint word = one_word(nibbles + 4 * v);
      to.q[v] = quants(quarter < 2 ? word << 2 : word >> 2, one_word(upper + 4 * v) << (6 - 2 * quarter));
    }
    const float scale = float(*(device const char*)(from + kScalesAt + run % 16));
    to.scale.x = half_bits(*(device const ushort*)(from + kFactorAt)) * 0.25f * scale;
    to.offset.x = 0.0f;
  }
};

// Q3_K: 32 bytes of third bits, 64 of lower ones, 12 of scales, d: 110 bytes, only 2-byte aligned. The third
// bit of element i of a super-block is bit i / 32 of byte i % 32, and takes 4 off where it is not set.
struct Q3_K : QuarteredSuperBlocks<110> {
  enum : uint { kOffset = 0, kBits = 1, kLowerAt = 32, kScalesAt = 96, kFactorAt = 108 };

  static OwnWords fetch_own(device const uchar* row, uint unit) {
    device const uchar* from = block(row, unit);
    const uint word = own_index(unit);
    OwnWords own;
    own.header = 0;
    if (word < 3) own.header = one_word(from + kScalesAt + 4 * word);
    if (word == 3) own.header = *(device const ushort*)(from + kFactorAt);
    own.bits = one_word(from + 4 * word);
    return own;
  }
  // Scales of 6 bits: the low 4 of the first 8 are the low nibbles of 8 bytes, those of the last 8 the high
  // ones; the upper 2 of scale s are bits 2 (s / 4) and on of byte s % 4 of the 4 bytes behind.
  static uint2 gather(uint own, uint unit, uint base) {
    const uint half_block = unit % 16 / 8, nibble = 4 * half_block;
    const uint first = own_word(own, 0, unit, base), second = own_word(own, 1, unit, base),
               upper = own_word(own, 2, unit, base);
    const uint low = every_other(first >> nibble & 0x0F0F0F0Fu, second >> nibble & 0x0F0F0F0Fu, unit);
    const uint high = every_other(upper >> nibble & 0x03030303u, upper >> (nibble + 2) & 0x03030303u, unit);
    return uint2(own_word(own, 3, unit, base), low | high << 4);
  }
  static uint2 gather_bits(uint own, uint unit, uint base, uint row) {
    return uint2(simd_shuffle(own, ushort(base + 2 * (unit % 8) + row)), 0);
  }

  struct Raw {
    uint lower;
  };

  static Raw fetch(device const uchar* row, uint unit, uint) {
    Raw raw;
    raw.lower = one_word(block(row, unit) + kLowerAt + 32 * (unit % 16 / 8) + unit % 8 * 4);
    return raw;
  }

  // 32 (q - 4), a signed byte each, of the lower bits of `quarter` of 4 and the third bits of `group` of 8.
  static float4 quants(uint lower, uint quarter, uint third, uint group) {
    const uint two = (quarter < 3 ? lower << (5 - 2 * quarter) : lower >> 1) & 0x60606060u;
    return signed_bytes((two | (third << (7 - group) & 0x80808080u)) ^ 0x80808080u);
  }

  static void decode(Raw raw, uint2 header, uint2 bits, uint unit, threadgroup const float*,
                     thread WeightUnit& to) {
    const uint first = unit % 16 / 8 * 4;
#pragma unroll
    for (uint v = 0; v < 4; ++v) to.q[v] = quants(raw.lower, v, bits.x, first + v);
    to.scale = half_bits(header.x) * 0.03125f * (unsigned_bytes(header.y).xzyw - 32.0f);
    to.offset = float4(0.0f);
  }

  static void load_run(device const uchar* row, uint run, uint, threadgroup const float*,
                       thread WeightUnit& to) {
    device const uchar* from = block(row, run);
    const uint scale_index = run % 16, half_block = scale_index / 8, quarter = run % 8 / 2,
               first = run % 2 * 16;
    device const uchar* lower = from + kLowerAt + 32 * half_block + first;
#pragma unroll
    for (uint v = 0; v < 4; ++v) {
      to.q[v] =
          quants(one_word(lower + 4 * v), quarter, one_word(from + first + 4 * v), 4 * half_block + quarter);
    }
    const uint low = from[kScalesAt + scale_index % 8] >> (4 * half_block) & 15;
    const uint high = from[kScalesAt + 8 + scale_index % 4] >> (scale_index / 4 * 2) & 3;
    to.scale.x =
        half_bits(*(device const ushort*)(from + kFactorAt)) * 0.03125f * (float(low | high << 4) - 32.0f);
    to.offset.x = 0.0f;
  }
};

// Q2_K: 16 bytes of a scale and, above it, a minimum, 64 bytes of quants, d and the minima's factor.
struct Q2_K : QuarteredSuperBlocks<84> {
  enum : uint { kOffset = 1, kBits = 0, kQuantsAt = 16, kFactorsAt = 80 };

  static OwnWords fetch_own(device const uchar* row, uint unit) {
    device const uint* words = (device const uint*)block(row, unit);
    const uint word = own_index(unit);
    OwnWords own;
    own.header = 0;
    if (word < 4) own.header = words[word];
    if (word == 4) own.header = words[kFactorsAt / 4];
    own.bits = 0;
    return own;
  }
  static uint2 gather(uint own, uint unit, uint base) {
    const uint half_block = unit % 16 / 8;
    const uint first = own_word(own, 2 * half_block, unit, base),
               second = own_word(own, 2 * half_block + 1, unit, base);
    return uint2(own_word(own, 4, unit, base), every_other(first, second, unit));
  }

  struct Raw {
    uint quants;
  };

  static Raw fetch(device const uchar* row, uint unit, uint) {
    Raw raw;
    raw.quants = one_word(block(row, unit) + kQuantsAt + 32 * (unit % 16 / 8) + unit % 8 * 4);
    return raw;
  }

  static void decode(Raw raw, uint2 header, uint2, uint, threadgroup const float*, thread WeightUnit& to) {
#pragma unroll
    for (uint v = 0; v < 4; ++v) to.q[v] = unsigned_bytes(raw.quants >> (2 * v) & 0x03030303u);
    to.scale = half_bits(header.x) * unsigned_bytes(header.y & 0x0F0F0F0Fu).xzyw;
    to.offset = -half_bits(header.x >> 16) * unsigned_bytes(header.y >> 4 & 0x0F0F0F0Fu).xzyw;
  }

  static void load_run(device const uchar* row, uint run, uint, threadgroup const float*,
                       thread WeightUnit& to) {
    device const uchar* from = block(row, run);
    const uint quarter = run % 8 / 2;
    device const uchar* quants = from + kQuantsAt + 32 * (run % 16 / 8) + run % 2 * 16;
#pragma unroll
    for (uint v = 0; v < 4; ++v)
      to.q[v] = unsigned_bytes(one_word(quants + 4 * v) >> (2 * quarter) & 0x03030303u);
    const uint factors = *(device const uint*)(from + kFactorsAt), both = from[run % 16];
    to.scale.x = half_bits(factors) * float(both & 15);
    to.offset.x = -half_bits(factors >> 16) * float(both >> 4);
  }
};

using Q4_K = ChunkedSuperBlocks<false>;
using Q5_K = ChunkedSuperBlocks<true>;
