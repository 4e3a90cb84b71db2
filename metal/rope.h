// Rotary position embedding (Su et al., 2021) and the place of a position in the KV cache, for the kernels
// that rotate.
//
// An angle is position * theta^(-2i/rotary) in float32: pow is good to 16 units in the last place and the
// product rounds once, so an angle is off by at most about position * 1e-6 radians, 0.008 at position 8192.
#pragma once

#include <metal_stdlib>

#include "function_constants.h"
#include "op_params.h"

using namespace metal;

// Elements of a head that one thread handles: the two that a rotation mixes, or two neighbours behind the
// rotary width.
struct HeadPair {
  uint a, b;  // elements of the head
  bool rotated;
  uint index;  // i of the angle, where rotated
};

// pair: 0 .. head_width / 2 - 1. style as in RopeKvWriteParams.
inline HeadPair head_pair(uint pair, uint rotary_width, uint style) {
  const uint rotations = rotary_width / 2;
  HeadPair at;
  at.rotated = pair < rotations;
  at.index = pair;
  const bool halves = at.rotated && style != 0;
  at.a = halves ? pair : 2 * pair;
  at.b = halves ? pair + rotations : 2 * pair + 1;
  return at;
}

// factors: [rotary_width / 2], bound where HAS_ROPE_FACTORS.
inline float2 rotate_pair(float2 pair, uint position, uint index, uint rotary_width, float theta,
                          device const float* factors) {
  float angle = float(position) * pow(theta, -2.0f * float(index) / float(rotary_width));
  if (HAS_ROPE_FACTORS) angle /= factors[index];
  const float cosine = cos(angle);
  const float sine = sin(angle);
  return float2(fma(pair.x, cosine, -(pair.y * sine)), fma(pair.x, sine, pair.y * cosine));
}

// Element 0 of kv head 0 at `position`, in halves behind the cache's binding. A page is [position][kv
// head][element].
inline ulong cache_row(device const uint* pages, uint position, uint page_stride, uint kv_width) {
  return ulong(pages[position / kKvPagePositions]) * (page_stride / 2) +
         ulong(position % kKvPagePositions) * kv_width;
}
