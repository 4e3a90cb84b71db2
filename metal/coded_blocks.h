// Formats whose nibbles are numbers of a table: IQ4_NL, MXFP4 and IQ4_XS (native/gguf/tensor_type.h).
//
// The table lies in threadgroup memory, 16 floats of 16 banks: any 32 nibbles are looked up at once, where a
// table in constant memory would be gathered from a cache.
#pragma once

#include "block_formats.h"

constant constexpr float kIq4Codes[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                          1,    13,   25,  38,  53,  69,  89,  113};
// E2M1 of the OCP Microscaling Formats specification 1.0; the upper half has the sign.
constant constexpr float kE2m1Codes[16] = {0.0f,  0.5f,  1.0f,  1.5f,  2.0f,  3.0f,  4.0f,  6.0f,
                                           -0.0f, -0.5f, -1.0f, -1.5f, -2.0f, -3.0f, -4.0f, -6.0f};

// 8 bytes of nibbles as the 16 numbers that they stand for: low ones, then high ones.
inline void look_up(uint2 nibbles, threadgroup const float* codes, thread WeightUnit& to) {
  const uint4 bytes = uint4(nibbles, nibbles >> 4) & 0x0F0F0F0Fu;
#pragma unroll
  for (uint v = 0; v < 4; ++v) {
    const uchar4 code = as_type<uchar4>(bytes[v]);
    to.q[v] = float4(codes[code.x], codes[code.y], codes[code.z], codes[code.w]);
  }
}

struct Iq4Codes {
  static float code(uint i) { return kIq4Codes[i]; }
};

// IQ4_NL: a scale, nibbles.
struct IQ4_NL : BlockOfTwoUnits<IQ4_NL> {
  enum : uint {
    kUnit = 16,
    kVectors = 4,
    kParts = 1,
    kScaled = 1,
    kOffset = 0,
    kCoded = 1,
    kHeader = 1,
    kBits = 0,
    kBlockBytes = 18,
  };

  static float code(uint i) { return kIq4Codes[i]; }
  static ulong row_bytes(uint in) { return ulong(in / 32) * kBlockBytes; }
  static uint column(uint unit, uint vector) { return Q4_0::column(unit, vector); }

  static uint2 header(device const uchar* row, uint unit) {
    return uint2(*(device const ushort*)(row + ulong(unit / 2) * kBlockBytes), 0);
  }

  struct Raw {
    uint2 nibbles;
  };

  static Raw fetch(device const uchar* row, uint unit, uint) {
    Raw raw;
    raw.nibbles = two_words(row + ulong(unit / 2) * kBlockBytes + 2 + 8 * (unit % 2));
    return raw;
  }

  static void decode(Raw raw, uint2 header, uint2, uint, threadgroup const float* codes,
                     thread WeightUnit& to) {
    look_up(raw.nibbles, codes, to);
    to.scale.x = half_bits(header.x);
    to.offset.x = 0.0f;
  }
};

// MXFP4: the exponent of the scale, nibbles. 17 bytes, aligned to nothing.
struct MXFP4 : BlockOfTwoUnits<MXFP4> {
  enum : uint {
    kUnit = 16,
    kVectors = 4,
    kParts = 1,
    kScaled = 1,
    kOffset = 0,
    kCoded = 1,
    kHeader = 1,
    kBits = 0,
    kBlockBytes = 17,
  };

  static float code(uint i) { return kE2m1Codes[i]; }
  static ulong row_bytes(uint in) { return ulong(in / 32) * kBlockBytes; }
  static uint column(uint unit, uint vector) { return Q4_0::column(unit, vector); }

  static uint2 header(device const uchar* row, uint unit) {
    return uint2(row[ulong(unit / 2) * kBlockBytes], 0);
  }

  struct Raw {
    uint2 nibbles;
  };

  static Raw fetch(device const uchar* row, uint unit, uint) {
    device const uchar* nibbles = row + ulong(unit / 2) * kBlockBytes + 1 + 8 * (unit % 2);
    Raw raw;
    raw.nibbles.x = as_type<uint>(uchar4(*(device const packed_uchar4*)nibbles));
    raw.nibbles.y = as_type<uint>(uchar4(*(device const packed_uchar4*)(nibbles + 4)));
    return raw;
  }

  static void decode(Raw raw, uint2 header, uint2, uint, threadgroup const float* codes,
                     thread WeightUnit& to) {
    look_up(raw.nibbles, codes, to);
    // 2^(e - 127): the exponent of a float32, whose smallest is no normal number.
    to.scale.x = as_type<float>(header.x == 0 ? 0x00400000u : header.x << 23);
    to.offset.x = 0.0f;
  }
};

// IQ4_XS: a super-block of 8 blocks, d and scales of 6 bits in its first 8 bytes: the lower 4 bits of scale b
// are nibble b of the second word, the upper 2 bits 16 + 2b and 17 + 2b of the first, behind d.
struct IQ4_XS : Iq4Codes {
  enum : uint {
    kUnit = 16,
    kVectors = 4,
    kParts = 1,
    kScaled = 1,
    kOffset = 0,
    kCoded = 1,
    kHeader = 1,
    kBits = 0,
    kBlockBytes = 136,
  };

  static ulong row_bytes(uint in) { return ulong(in / 256) * kBlockBytes; }
  static uint column(uint unit, uint vector) { return Q4_0::column(unit, vector); }
  static uint run_column(uint run, uint vector) { return Q4_0::column(run, vector); }

  static device const uchar* block(device const uchar* row, uint unit) {
    return row + ulong(unit / 16) * kBlockBytes;
  }
  // d, and the scale in the upper half.
  static uint2 unpack(uint first, uint second, uint unit) {
    const uint b = unit % 16 / 2;
    const uint scale = (second >> (4 * b) & 15) | (first >> (16 + 2 * b) & 3) << 4;
    return uint2((first & 0xFFFFu) | scale << 16, 0);
  }
  static uint2 header(device const uchar* row, uint unit) {
    device const uint* words = (device const uint*)block(row, unit);
    return unpack(words[0], words[1], unit);
  }
  static OwnWords fetch_own(device const uchar* row, uint unit) {
    const uint word = unit % 16 / 2;
    OwnWords own;
    own.header = word < 2 ? ((device const uint*)block(row, unit))[word] : 0;
    own.bits = 0;
    return own;
  }
  static uint2 gather(uint own, uint unit, uint base) {
    const uint first = base + unit % 2;
    const uint words[2] = {simd_shuffle(own, ushort(first)), simd_shuffle(own, ushort(first + 2))};
    return unpack(words[0], words[1], unit);
  }
  static uint2 gather_bits(uint, uint, uint, uint) { return uint2(0, 0); }

  struct Raw {
    uint2 nibbles;
  };

  static Raw fetch(device const uchar* row, uint unit, uint) {
    Raw raw;
    raw.nibbles = two_words(block(row, unit) + 8 + unit % 16 * 8);
    return raw;
  }

  static void decode(Raw raw, uint2 header, uint2, uint, threadgroup const float* codes,
                     thread WeightUnit& to) {
    look_up(raw.nibbles, codes, to);
    to.scale.x = half_bits(header.x) * float(int(header.x >> 16) - 32);
    to.offset.x = 0.0f;
  }

  static void load_run(device const uchar* row, uint run, uint in, threadgroup const float* codes,
                       thread WeightUnit& to) {
    load_unit<IQ4_XS>(row, run, in, codes, to);
  }
};
