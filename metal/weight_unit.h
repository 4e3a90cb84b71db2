// What weights of every format are read as, and what a format has to say about itself.
//
// A unit is what one lane takes in one go: 16 elements of a quantised row, or 8 floats. Neighbouring lanes
// take neighbouring units, so a simdgroup's loads cover whole cache lines; and the units of a super-block of
// 256 are a round of kMatVecLanes lanes.
//
// Quantised formats are handed over as weight = scale * q + offset, with q as loaded: a product is then
//   sum(w x) = scale * sum(q x) + offset * sum(x),
// one multiply-add an element, where the sum of x is shared by all weight rows. A zero point is either part
// of the offset or taken off by reading q as a signed number whose uppermost bit is flipped.
//
// What all units of a block need of it, its scales above all, is read once by a few of its lanes and handed
// on: lanes with an even unit read for row a of a pair, the others for row b.
//
// A Format has
//   kUnit      elements of a unit; kVectors = kUnit / 4, and kParts equal parts with scales of their own
//   kScaled    the unit has scales (otherwise they are 1), kOffset: and offsets (otherwise 0)
//   kCoded     q is a number from a table: code(i) for i = 0..15, which a kernel keeps in threadgroup memory
//   row_bytes  bytes of a row of `in` elements
//   column     of element 0 of vector v of unit u; the vector's other three follow
//   Raw        what a unit is read as; fetch reads unit u of a row, u * kUnit < in
//   kHeader    units share a block's header
//   fetch_own  a lane's share of the header of unit u's block; gather makes, of all lanes' shares, what unit
//   u
//              needs of it (the same for u and u + 1, u even). base: the first lane of the group
//   kBits      words of single bits that unit u needs beside: gather_bits takes those of row 0 (a) or 1 (b)
//   decode     makes weights of all, without touching memory
//   load_run   16 columns that lie beside one another, or 8 floats, by a lane alone: run r of a row, as a
//   unit
//              of one part. run_column: of vector v of run r
#pragma once

#include <metal_stdlib>

using namespace metal;

struct WeightUnit {
  float4 q[4];    // kVectors of them are used
  float4 scale;   // an element a part
  float4 offset;  // likewise
};

// A lane's share of what its row's block has for all of its units.
struct OwnWords {
  uint header;
  uint bits;
};

// 4 and 8 bytes at an address that is a multiple of 2.
inline uint one_word(device const uchar* at) {
  return as_type<uint>(ushort2(*(device const packed_ushort2*)at));
}
inline uint2 two_words(device const uchar* at) {
  return as_type<uint2>(ushort4(*(device const packed_ushort4*)at));
}
// The float16 in the lower half of a word.
inline float half_bits(uint word) {
  return float(as_type<half>(ushort(word)));
}
// Bytes as numbers.
inline float4 unsigned_bytes(uint word) {
  return float4(as_type<uchar4>(word));
}
inline float4 signed_bytes(uint word) {
  return float4(as_type<char4>(word));
}

// A unit by a lane alone, of a format whose units have one part.
template <typename Format>
inline void load_unit(device const uchar* row, uint unit, uint in, threadgroup const float* codes,
                      thread WeightUnit& to) {
  Format::decode(Format::fetch(row, unit, in), Format::header(row, unit), uint2(0, 0), unit, codes, to);
}

// The weights of a unit themselves: vector `vector`, of part `part`.
template <typename Format>
inline float4 weights_of(thread const WeightUnit& unit, uint vector, uint part) {
  return Format::kScaled ? fma(unit.q[vector], float4(unit.scale[part]), float4(unit.offset[part]))
                         : unit.q[vector];
}

// The table of a format with codes, for all threads of a threadgroup behind the next barrier. codes: 16
// floats.
template <typename Format>
inline void stage_codes(threadgroup float* codes, uint thread_index) {
  if (Format::kCoded && thread_index < 16) codes[thread_index] = Format::code(thread_index);
}

// What formats without codes say of them.
struct NoCodes {
  static float code(uint) { return 0.0f; }
};
