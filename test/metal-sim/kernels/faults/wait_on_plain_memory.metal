// The same wait on memory that is no atomic: the compiler loads the flag once.
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
  if (tid == 0) {
    atomic_store_explicit(&flags[tg], 1u, memory_order_relaxed);
    device const uint* others = (device const uint*)flags;
    while (others[1 - tg] == 0u) {
    }
  }
  out[i] = in[i];
}

kernel void correct(constant Params& p [[buffer(0)]], device float* out [[buffer(1)]],
                    device const float* in [[buffer(2)]], device atomic_uint* flags [[buffer(3)]],
                    uint i [[thread_position_in_grid]], uint tid [[thread_index_in_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]],
                    uint tg [[threadgroup_position_in_grid]]) {
  if (tid == 0) atomic_store_explicit(&flags[tg], 1u, memory_order_relaxed);
  out[i] = in[i];
}
