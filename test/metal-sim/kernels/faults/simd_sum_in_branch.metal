// A sum over a simdgroup that half of its lanes skip.
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
  float sum = in[i];
  if (lane < 16) sum = simd_sum(sum);
  out[i] = sum;
}

kernel void correct(constant Params& p [[buffer(0)]], device float* out [[buffer(1)]],
                    device const float* in [[buffer(2)]], device atomic_uint* flags [[buffer(3)]],
                    uint i [[thread_position_in_grid]], uint tid [[thread_index_in_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]],
                    uint tg [[threadgroup_position_in_grid]]) {
  const float sum = simd_sum(lane < 16 ? in[i] : 0.0f);
  out[i] = lane < 16 ? sum : in[i];
}
