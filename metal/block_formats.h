// The formats of 32 elements a block, and plain floats: Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, F32, F16, BF16
// (native/gguf/tensor_type.h has their layout; weight_unit.h what a format says of itself).
//
// A unit is half a block: 8 bytes of nibbles, 8 elements from the low ones and 8 from the high ones; or 16
// int8. Blocks are 18 to 34 bytes long and only 2-byte aligned, which rules wider loads than packed_ushort4
// out. The zero point of Q4_0 and Q5_0 is an offset of -8 and -16 scales, so four formats are one.
#pragma once

#include "weight_unit.h"

// What formats have in common whose units u and u + 1, u even, are a block, or know of none: a lane reads the
// header of its own unit's block, and a run is a unit.
template <typename Format>
struct BlockOfTwoUnits : NoCodes {
  static OwnWords fetch_own(device const uchar* row, uint unit) {
    OwnWords own;
    own.header = Format::header(row, unit).x;
    own.bits = 0;
    return own;
  }
  static uint2 gather(uint own, uint, uint) { return uint2(own, 0); }
  static uint2 gather_bits(uint, uint, uint, uint) { return uint2(0, 0); }

  static uint run_column(uint run, uint vector) { return Format::column(run, vector); }
  static void load_run(device const uchar* row, uint run, uint in, threadgroup const float* codes,
                       thread WeightUnit& to) {
    load_unit<Format>(row, run, in, codes, to);
  }
};

// Q4_0, Q4_1, Q5_0, Q5_1: scale, minimum if any, fifth bits if any, nibbles.
template <bool kMinimum, bool kFifthBits>
struct NibbleBlocks : BlockOfTwoUnits<NibbleBlocks<kMinimum, kFifthBits>> {
  enum : uint {
    kUnit = 16,
    kVectors = 4,
    kParts = 1,
    kScaled = 1,
    kOffset = 1,
    kCoded = 0,
    kHeader = 1,
    kBits = 0,
    kFifthBitsAt = kMinimum ? 4 : 2,
    kNibblesAt = kFifthBitsAt + (kFifthBits ? 4 : 0),
    kBlockBytes = kNibblesAt + 16,
  };

  static ulong row_bytes(uint in) { return ulong(in / 32) * kBlockBytes; }

  static uint column(uint unit, uint vector) {
    return unit / 2 * 32 + unit % 2 * 8 + vector / 2 * 16 + vector % 2 * 4;
  }

  static uint2 header(device const uchar* row, uint unit) {
    device const ushort* block = (device const ushort*)(row + ulong(unit / 2) * kBlockBytes);
    return uint2(kMinimum ? block[0] | uint(block[1]) << 16 : block[0], 0);
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

  static void decode(Raw raw, uint2 header, uint2, uint, threadgroup const float*, thread WeightUnit& to) {
    uint4 bytes = uint4(raw.nibbles, raw.nibbles >> 4) & 0x0F0F0F0Fu;
    if (kFifthBits) {
      const uint4 fifth = uint4(raw.low, raw.low >> 4, raw.high, raw.high >> 4) & 15u;
      // Bits 0..3 to bit 4 of bytes 0..3: no two of the four shifted copies meet.
      bytes |= ((fifth * 0x00204081u) & 0x01010101u) << 4;
    }
#pragma unroll
    for (uint v = 0; v < kVectors; ++v) to.q[v] = unsigned_bytes(bytes[v]);
    to.scale.x = half_bits(header.x);
    to.offset.x = kMinimum ? half_bits(header.x >> 16) : (kFifthBits ? -16.0f : -8.0f) * to.scale.x;
  }
};

// Q8_0.
struct Int8Blocks : BlockOfTwoUnits<Int8Blocks> {
  enum : uint {
    kUnit = 16,
    kVectors = 4,
    kParts = 1,
    kScaled = 1,
    kOffset = 0,
    kCoded = 0,
    kHeader = 1,
    kBits = 0,
    kBlockBytes = 34,
  };

  static ulong row_bytes(uint in) { return ulong(in / 32) * kBlockBytes; }

  static uint column(uint unit, uint vector) { return unit * 16 + vector * 4; }

  static uint2 header(device const uchar* row, uint unit) {
    return uint2(*(device const ushort*)(row + ulong(unit / 2) * kBlockBytes), 0);
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

  static void decode(Raw raw, uint2 header, uint2, uint, threadgroup const float*, thread WeightUnit& to) {
    to.q[0] = signed_bytes(raw.first.x);
    to.q[1] = signed_bytes(raw.first.y);
    to.q[2] = signed_bytes(raw.second.x);
    to.q[3] = signed_bytes(raw.second.y);
    to.scale.x = half_bits(header.x);
    to.offset.x = 0.0f;
  }
};

// F32, F16, BF16: Float says how four, and one, are read. Rows of any length; elements behind the last are 0.
template <typename Float>
struct FloatRows : BlockOfTwoUnits<FloatRows<Float>> {
  enum : uint {
    kUnit = 8,
    kVectors = 2,
    kParts = 1,
    kScaled = 0,
    kOffset = 0,
    kCoded = 0,
    kHeader = 0,
    kBits = 0,
  };

  static ulong row_bytes(uint in) { return ulong(in) * Float::kBytes; }

  static uint column(uint unit, uint vector) { return unit * 8 + vector * 4; }

  static uint2 header(device const uchar*, uint) { return uint2(0, 0); }

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

  static void decode(Raw raw, uint2, uint2, uint, threadgroup const float*, thread WeightUnit& to) {
    to.q[0] = raw.q[0];
    to.q[1] = raw.q[1];
    to.scale.x = 1.0f;
    to.offset.x = 0.0f;
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

using Q4_0 = NibbleBlocks<false, false>;
using Q4_1 = NibbleBlocks<true, false>;
using Q5_0 = NibbleBlocks<false, true>;
using Q5_1 = NibbleBlocks<true, true>;
