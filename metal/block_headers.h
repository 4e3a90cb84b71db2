// What the units of a block have in common, for the lanes of a simdgroup that hold a pair of rows' units:
// each byte of it is read once, by one lane (weight_unit.h).
#pragma once

#include "launch_shapes.h"
#include "weight_formats.h"

// What a unit needs of its blocks in rows a and b.
struct PairHeaders {
  uint2 a, b;
  uint2 bits_a, bits_b;
};

// For all lanes of a simdgroup together.
template <typename Format>
inline PairHeaders exchange_headers(OwnWords own, uint unit, uint lane) {
  PairHeaders headers;
  headers.a = headers.b = headers.bits_a = headers.bits_b = uint2(0, 0);
  if (!Format::kHeader) return headers;
  const uint base = lane / kMatVecLanes * kMatVecLanes;
  const uint2 mine = Format::gather(own.header, unit, base);
  uint2 other = uint2(simd_shuffle_xor(mine.x, 1), 0);
  if (Format::kParts > 1) other.y = simd_shuffle_xor(mine.y, 1);
  headers.a = unit % 2 == 0 ? mine : other;
  headers.b = unit % 2 == 0 ? other : mine;
  if (Format::kBits > 0) {
    headers.bits_a = Format::gather_bits(own.bits, unit, base, 0);
    headers.bits_b = Format::gather_bits(own.bits, unit, base, 1);
  }
  return headers;
}
