// Device memory written by one thread and read by another of its threadgroup, across a barrier of threadgroup
// memory.
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
  out[i] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float read = out[tg * 64 + 63 - tid];
  threadgroup_barrier(mem_flags::mem_device);
  out[i] = read;
}

kernel void correct(constant Params& p [[buffer(0)]], device float* out [[buffer(1)]],
                    device const float* in [[buffer(2)]], device atomic_uint* flags [[buffer(3)]],
                    uint i [[thread_position_in_grid]], uint tid [[thread_index_in_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]],
                    uint tg [[threadgroup_position_in_grid]]) {
  out[i] = in[i];
  threadgroup_barrier(mem_flags::mem_device);
  const float read = out[tg * 64 + 63 - tid];
  threadgroup_barrier(mem_flags::mem_device);
  out[i] = read;
}
