// Four bytes loaded at an address that is aligned to two.
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
  device const ushort* halves = (device const ushort*)in;
  out[i] = float(*(device const uint*)(halves + (i < p.count - 1 ? 2 * i + 1 : 0)));
}

kernel void correct(constant Params& p [[buffer(0)]], device float* out [[buffer(1)]],
                    device const float* in [[buffer(2)]], device atomic_uint* flags [[buffer(3)]],
                    uint i [[thread_position_in_grid]], uint tid [[thread_index_in_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]],
                    uint tg [[threadgroup_position_in_grid]]) {
  device const ushort* halves = (device const ushort*)in;
  const uint at = i < p.count - 1 ? 2 * i + 1 : 0;
  out[i] = float(uint(halves[at]) | uint(halves[at + 1]) << 16);
}
