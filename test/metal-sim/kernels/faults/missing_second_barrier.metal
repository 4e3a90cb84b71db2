// A second round that overwrites what others still read of the first.
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
  float sum = 0.0f;
  for (uint round = 0; round < 2; ++round) {
    shared[tid] = in[i] + float(round);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum += shared[63 - tid];
  }
  out[i] = sum;
}

kernel void correct(constant Params& p [[buffer(0)]], device float* out [[buffer(1)]],
                    device const float* in [[buffer(2)]], device atomic_uint* flags [[buffer(3)]],
                    uint i [[thread_position_in_grid]], uint tid [[thread_index_in_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]],
                    uint tg [[threadgroup_position_in_grid]]) {
  threadgroup float shared[64];
  float sum = 0.0f;
  for (uint round = 0; round < 2; ++round) {
    shared[tid] = in[i] + float(round);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum += shared[63 - tid];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  out[i] = sum;
}
