// GGUF's weight formats (native/gguf/tensor_type.h has their layout), read a unit at a time.
//
// A unit is what one lane takes in one go: half a block of 32 (8 bytes of nibbles: 8 elements from the low
// ones, 8 from the high ones; or 16 int8) or 8 floats. Neighbouring lanes take neighbouring units, so a
// simdgroup's loads cover whole cache lines. Blocks are 18 to 34 bytes long and only 2-byte aligned, which
// rules wider loads than packed_ushort4 out.
//
// Quantised formats are handed over as weight = scale * q + offset, with q as loaded: a product is then
//   sum(w x) = scale * sum(q x) + offset * sum(x),
// one multiply-add an element, where the sum of x is shared by all weight rows. The zero point of Q4_0 and
// Q5_0 is an offset of -8 and -16 scales, so four formats are one.
//
// A Format has
//   kUnit      elements of a unit; kVectors = kUnit / 4
//   kScaled    the unit has a scale (otherwise it is 1), kOffset: and an offset (otherwise 0)
//   row_bytes  bytes of a row of `in` elements
//   column     of element 0 of vector v of unit u; the vector's other three follow
//   Raw        what a unit is read as; fetch reads unit u of a row, u * kUnit < in
//   kHeader    two units share their block's header, its scale and minimum; header reads that of unit u
//   decode     makes weights of both, without touching memory
#pragma once

#include <metal_stdlib>

using namespace metal;

struct WeightUnit {
  float4 q[4];  // kVectors of them are used
  float scale;
  float offset;
};

// 8 bytes at an address that is a multiple of 2.
inline uint2 two_words(device const uchar* at) {
  return as_type<uint2>(ushort4(*(device const packed_ushort4*)at));
}
// The float16 in the lower half of a word.
inline float half_bits(uint word) {
  return float(as_type<half>(ushort(word)));
}

// Q4_0, Q4_1, Q5_0, Q5_1: scale, minimum if any, fifth bits if any, nibbles.
template <bool kMinimum, bool kFifthBits>
struct NibbleBlocks {
  enum : uint {
    kUnit = 16,
    kVectors = 4,
    kScaled = 1,
    kOffset = 1,
    kHeader = 1,
    kFifthBitsAt = kMinimum ? 4 : 2,
    kNibblesAt = kFifthBitsAt + (kFifthBits ? 4 : 0),
    kBlockBytes = kNibblesAt + 16,
  };

  static ulong row_bytes(uint in) { return ulong(in / 32) * kBlockBytes; }

  static uint column(uint unit, uint vector) {
    return unit / 2 * 32 + unit % 2 * 8 + vector / 2 * 16 + vector % 2 * 4;
  }

  static uint header(device const uchar* row, uint unit) {
    device const ushort* block = (device const ushort*)(row + ulong(unit / 2) * kBlockBytes);
    return kMinimum ? block[0] | uint(block[1]) << 16 : block[0];
  }

  struct Raw {
    uint2 nibbles;
    uint low, high;  // fifth bits of the elements in low and high nibbles
  };

  static Raw fetch(device const uchar* row, uint unit, uint) {
    device const uchar* block = row + ulong(unit / 2) * kBlockBytes;
    const uint second = unit % 2;
    Raw raw;
    raw.nibbles = two_words(block + kNibblesAt + 8 * second);
    raw.low = kFifthBits ? block[kFifthBitsAt + second] : 0;
    raw.high = kFifthBits ? block[kFifthBitsAt + 2 + second] : 0;
    return raw;
  }

  static void decode(Raw raw, uint header, thread WeightUnit& to) {
    uint4 bytes = uint4(raw.nibbles, raw.nibbles >> 4) & 0x0F0F0F0Fu;
    if (kFifthBits) {
      const uint4 fifth = uint4(raw.low, raw.low >> 4, raw.high, raw.high >> 4) & 15u;
      // Bits 0..3 to bit 4 of bytes 0..3: no two of the four shifted copies meet.
      bytes |= ((fifth * 0x00204081u) & 0x01010101u) << 4;
    }
#pragma unroll
    for (uint v = 0; v < kVectors; ++v) to.q[v] = float4(as_type<uchar4>(bytes[v]));
    to.scale = half_bits(header);
    to.offset = kMinimum ? half_bits(header >> 16) : (kFifthBits ? -16.0f : -8.0f) * to.scale;
  }
};

// Q8_0.
struct Int8Blocks {
  enum : uint { kUnit = 16, kVectors = 4, kScaled = 1, kOffset = 0, kHeader = 1, kBlockBytes = 34 };

  static ulong row_bytes(uint in) { return ulong(in / 32) * kBlockBytes; }

  static uint column(uint unit, uint vector) { return unit * 16 + vector * 4; }

  static uint header(device const uchar* row, uint unit) {
    return *(device const ushort*)(row + ulong(unit / 2) * kBlockBytes);
  }

  struct Raw {
    uint2 first, second;  // 8 int8 each
  };

  static Raw fetch(device const uchar* row, uint unit, uint) {
    device const uchar* quants = row + ulong(unit / 2) * kBlockBytes + 2 + 16 * (unit % 2);
    Raw raw;
    raw.first = two_words(quants);
    raw.second = two_words(quants + 8);
    return raw;
  }

  static void decode(Raw raw, uint header, thread WeightUnit& to) {
    to.q[0] = float4(as_type<char4>(raw.first.x));
    to.q[1] = float4(as_type<char4>(raw.first.y));
    to.q[2] = float4(as_type<char4>(raw.second.x));
    to.q[3] = float4(as_type<char4>(raw.second.y));
    to.scale = half_bits(header);
    to.offset = 0.0f;
  }
};

// F32, F16, BF16: Float says how four, and one, are read. Rows of any length; elements behind the last are 0.
template <typename Float>
struct FloatRows {
  enum : uint { kUnit = 8, kVectors = 2, kScaled = 0, kOffset = 0, kHeader = 0 };

  static ulong row_bytes(uint in) { return ulong(in) * Float::kBytes; }

  static uint column(uint unit, uint vector) { return unit * 8 + vector * 4; }

  static uint header(device const uchar*, uint) { return 0; }

  struct Raw {
    float4 q[2];
  };

  static Raw fetch(device const uchar* row, uint unit, uint in) {
    const uint first = unit * 8;
    device const uchar* at = row + ulong(first) * Float::kBytes;
    Raw raw;
    if (first + 8 <= in) {
      raw.q[0] = Float::four(at);
      raw.q[1] = Float::four(at + 4 * Float::kBytes);
    } else {
#pragma unroll
      for (uint i = 0; i < 8; ++i) {
        raw.q[i / 4][i % 4] = first + i < in ? Float::one(at + i * Float::kBytes) : 0.0f;
      }
    }
    return raw;
  }

  static void decode(Raw raw, uint, thread WeightUnit& to) {
    to.q[0] = raw.q[0];
    to.q[1] = raw.q[1];
    to.scale = 1.0f;
    to.offset = 0.0f;
  }
};

struct Float32 {
  enum : uint { kBytes = 4 };
  static float one(device const uchar* at) { return *(device const float*)at; }
  static float4 four(device const uchar* at) { return float4(*(device const packed_float4*)at); }
};

struct Float16 {
  enum : uint { kBytes = 2 };
  static float one(device const uchar* at) { return float(*(device const half*)at); }
  static float4 four(device const uchar* at) { return float4(half4(*(device const packed_half4*)at)); }
};

// The upper half of a float32; MSL has no type for it before 3.1.
struct BFloat16 {
  enum : uint { kBytes = 2 };
  static float one(device const uchar* at) { return as_type<float>(uint(*(device const ushort*)at) << 16); }
  static float4 four(device const uchar* at) {
    return as_type<float4>(uint4(ushort4(*(device const packed_ushort4*)at)) << 16);
  }
};

// A unit whose header no other lane reads on.
template <typename Format>
inline void load_unit(device const uchar* row, uint unit, uint in, thread WeightUnit& to) {
  Format::decode(Format::fetch(row, unit, in), Format::header(row, unit), to);
}

// The weights of a unit themselves.
template <typename Format>
inline float4 weights_of(thread const WeightUnit& unit, uint vector) {
  return Format::kScaled ? fma(unit.q[vector], float4(unit.scale), float4(unit.offset)) : unit.q[vector];
}

using Q4_0 = NibbleBlocks<false, false>;
using Q4_1 = NibbleBlocks<true, false>;
using Q5_0 = NibbleBlocks<false, true>;
using Q5_1 = NibbleBlocks<true, true>;

// One instantiation of a kernel for each weight type: name suffix, format.
#define EMBERLINE_FOR_EACH_FORMAT(INSTANTIATE) \
  INSTANTIATE(f32, FloatRows<Float32>)         \
  INSTANTIATE(f16, FloatRows<Float16>)         \
  INSTANTIATE(bf16, FloatRows<BFloat16>)       \
  INSTANTIATE(q4_0, Q4_0)                      \
  INSTANTIATE(q4_1, Q4_1)                      \
  INSTANTIATE(q5_0, Q5_0)                      \
  INSTANTIATE(q5_1, Q5_1)                      \
  INSTANTIATE(q8_0, Int8Blocks)
