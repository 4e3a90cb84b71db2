// out[R, P, D] (+)= x / sqrt(mean(x^2) + epsilon) * gain, or that and an addend: a threadgroup a part of a
// row. x is read twice, the second time from the core's cache; out may be x. Decode has most norms fused
// (mat_vec.h, qk_norm_rope.metal).
#include "chain_guard.h"
#include "launch_shapes.h"
#include "reductions.h"

kernel void rms_norm(constant RmsNormParams& p [[buffer(0)]], device const ChainState* chain [[buffer(1)]],
                     device const float* x [[buffer(2)]], device const float* gain [[buffer(3)]],
                     device float* out [[buffer(4)]],
                     device const float* addend [[buffer(6), function_constant(HAS_ADDED)]],
                     uint row [[threadgroup_position_in_grid]],
                     uint thread_index [[thread_index_in_threadgroup]],
                     uint lane [[thread_index_in_simdgroup]],
                     uint simdgroup [[simdgroup_index_in_threadgroup]]) {
  threadgroup float partial[kRowKernelThreads / 32];
  if (chain_halted(chain)) return;
  device const float* from = x + ulong(row) * p.width;
  device float* to = out + ulong(row) * p.width;
  device const float* before = to;
  if (HAS_ADDED) before = addend + ulong(row) * p.width;
  float squares = 0.0f;
  for (uint i = thread_index; i < p.width; i += kRowKernelThreads) squares = fma(from[i], from[i], squares);
  const float sum = sum_over_threadgroup(squares, partial, lane, simdgroup, kRowKernelThreads / 32);
  const float scale = rsqrt(sum / float(p.width) + p.epsilon);
  for (uint i = thread_index; i < p.width; i += kRowKernelThreads) {
    const float normed = from[i] * scale;
    to[i] = p.accumulate != 0 ? fma(normed, gain[i], before[i]) : normed * gain[i];
  }
}
