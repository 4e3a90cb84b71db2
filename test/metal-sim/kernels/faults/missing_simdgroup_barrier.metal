// Lanes that read what another lane wrote, without a simdgroup_barrier.
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
  threadgroup float shared[64];
  shared[tid] = 0.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  shared[tid] = in[i];
  out[i] = shared[tid ^ 1u] + simd_sum(1.0f);
}

kernel void correct(constant Params& p [[buffer(0)]], device float* out [[buffer(1)]],
                    device const float* in [[buffer(2)]], device atomic_uint* flags [[buffer(3)]],
                    uint i [[thread_position_in_grid]], uint tid [[thread_index_in_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]],
                    uint tg [[threadgroup_position_in_grid]]) {
  threadgroup float shared[64];
  shared[tid] = 0.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  shared[tid] = in[i];
  simdgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = shared[tid ^ 1u] + simd_sum(1.0f);
}
