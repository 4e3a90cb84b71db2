// Sums across threads. Every order of addition is fixed by thread indices alone, so that a result does not
// depend on scheduling.
#pragma once

#include <metal_stdlib>

using namespace metal;

// The sum over each aligned group of `width` lanes (a power of two up to 32), in every lane of the group.
inline float sum_over_lanes(float value, ushort width) {
  for (ushort step = width / 2; step > 0; step /= 2) value += simd_shuffle_xor(value, step);
  return value;
}

// The sum over a threadgroup, in every thread. partial: one float a simdgroup, free to be overwritten.
inline float sum_over_threadgroup(float value, threadgroup float* partial, uint lane, uint simdgroup,
                                  uint simdgroups) {
  const float own = simd_sum(value);
  if (lane == 0) partial[simdgroup] = own;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float sum = 0.0f;
  for (uint i = 0; i < simdgroups; ++i) sum += partial[i];
  return sum;
}
