#include "attention_decode.h"

// Bindings and grid: attention_decode.h.
kernel void attention_decode(
    constant AttentionParams& p [[buffer(0)]], device const ChainState* chain [[buffer(1)]],
    device const float* q [[buffer(2)]], device const half* keys [[buffer(3)]],
    device const half* values [[buffer(4)]], device const uint* pages [[buffer(5)]],
    device float* out [[buffer(6)]], threadgroup DecodeMemory* memory [[threadgroup(0)]],
    uint3 group [[threadgroup_position_in_grid]], uint index [[thread_index_in_threadgroup]],
    uint3 threads [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]], uint simdgroups [[simdgroups_per_threadgroup]]) {
  if (chain_halted(chain)) return;
  const ThreadPlace place = {index, threads.x, lane, simdgroup, simdgroups};
  DecodeTask task;
  task.kv_head = group.x;
  task.first_head = group.x * HEADS_PER_KV + group.y * kDecodeHeads;
  task.heads = min(HEADS_PER_KV - group.y * kDecodeHeads, kDecodeHeads);
  task.row = group.z;
  task.length = p.position + group.z + 1;
  task.first = first_in_window(p, task.length);
  if (HEAD_WIDTH <= 64) {
    attend_heads<8>(p, task, q, keys, values, pages, out, *memory, place);
  } else if (HEAD_WIDTH <= 128) {
    attend_heads<16>(p, task, q, keys, values, pages, out, *memory, place);
  } else {
    attend_heads<32>(p, task, q, keys, values, pages, out, *memory, place);
  }
}
