// A loop with a simdgroup operation that some lanes leave earlier.
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
  float sum = 0.0f;
  for (uint k = lane; k < 40; k += 32) sum += simd_max(in[k]);
  out[i] = sum;
}

kernel void correct(constant Params& p [[buffer(0)]], device float* out [[buffer(1)]],
                    device const float* in [[buffer(2)]], device atomic_uint* flags [[buffer(3)]],
                    uint i [[thread_position_in_grid]], uint tid [[thread_index_in_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]],
                    uint tg [[threadgroup_position_in_grid]]) {
  float sum = 0.0f;
  for (uint k = 0; k < 40; k += 32) sum += simd_max(k + lane < 40 ? in[k + lane] : 0.0f);
  out[i] = sum;
}
