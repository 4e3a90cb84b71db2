#include "attention_prefill.h"

// Bindings and grid: attention_prefill.h.
kernel void attention_prefill(
    constant AttentionParams& p [[buffer(0)]], device const ChainState* chain [[buffer(1)]],
    device const float* q [[buffer(2)]], device const half* keys [[buffer(3)]],
    device const half* values [[buffer(4)]], device const uint* pages [[buffer(5)]],
    device float* out [[buffer(6)]], constant uint& rows [[buffer(29)]],
    threadgroup float* memory [[threadgroup(0)]], uint2 group [[threadgroup_position_in_grid]],
    uint index [[thread_index_in_threadgroup]], uint2 threads [[threads_per_threadgroup]],
    uint lane [[thread_index_in_simdgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint simdgroups [[simdgroups_per_threadgroup]]) {
  if (chain_halted(chain)) return;
  const ThreadPlace place = {index, threads.x, lane, simdgroup, simdgroups};
  PrefillTask task;
  task.kv_head = group.x;
  task.first_query = group.y * 8 * simdgroups;
  task.queries = rows * HEADS_PER_KV;
  const uint last_query = min(task.first_query + 8 * simdgroups, task.queries) - 1;
  task.first = first_in_window(p, p.position + row_of_query(task.first_query) + 1);
  task.entries = p.position + row_of_query(last_query) + 1;
  switch (HEAD_WIDTH) {
    case 16: return attend_tile<16, prefill_entries(16)>(p, task, q, keys, values, pages, out, memory, place);
    case 32: return attend_tile<32, prefill_entries(32)>(p, task, q, keys, values, pages, out, memory, place);
    case 48: return attend_tile<48, prefill_entries(48)>(p, task, q, keys, values, pages, out, memory, place);
    case 64: return attend_tile<64, prefill_entries(64)>(p, task, q, keys, values, pages, out, memory, place);
    case 80: return attend_tile<80, prefill_entries(80)>(p, task, q, keys, values, pages, out, memory, place);
    case 96: return attend_tile<96, prefill_entries(96)>(p, task, q, keys, values, pages, out, memory, place);
    case 128:
      return attend_tile<128, prefill_entries(128)>(p, task, q, keys, values, pages, out, memory, place);
    case 256:
      return attend_tile<256, prefill_entries(256)>(p, task, q, keys, values, pages, out, memory, place);
  }
}
