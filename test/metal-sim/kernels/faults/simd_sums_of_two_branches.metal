// The lanes of a simdgroup in two different sums.
#include <metal_stdlib>
using namespace metal;

struct Params {
  uint count;
};

kernel void faulty(constant Params& p [[buffer(0)]], device float* out [[buffer(1)]],
                   device const float* in [[buffer(2)]], device atomic_uint* flags [[buffer(3)]],
                   uint i [[thread_position_in_grid]], uint tid [[thread_index_in_threadgroup]],
                   uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]],
                   uint tg [[threadgroup_position_in_grid]]) {
  float sum;
  if (in[i] < 16.0f) {
    sum = simd_sum(in[i]);
  } else {
    sum = simd_sum(2.0f * in[i]) + 1.0f;
  }
  out[i] = sum;
}

kernel void correct(constant Params& p [[buffer(0)]], device float* out [[buffer(1)]],
                    device const float* in [[buffer(2)]], device atomic_uint* flags [[buffer(3)]],
                    uint i [[thread_position_in_grid]], uint tid [[thread_index_in_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]],
                    uint tg [[threadgroup_position_in_grid]]) {
  const bool low = in[i] < 16.0f;
  const float first = simd_sum(low ? in[i] : 0.0f);
  const float second = simd_sum(low ? 0.0f : 2.0f * in[i]) + 1.0f;
  out[i] = low ? first : second;
}
