// Norms of queries and keys, rotation and KV write in one command, for any number of rows (Henry et al.
// 2020).
//
// A threadgroup has what is normed together, of one row: a head, or all heads of queries or of keys; and a
// head of values, which it only copies. It reads its elements twice, the second time from the core's cache: q
// is written in place, behind the barrier of the sum. Grid: qk_norm_groups, qk_norm_threads
// (launch_shapes.h), y = rows.
#include "chain_guard.h"
#include "launch_shapes.h"
#include "reductions.h"
#include "rope.h"

kernel void qk_norm_rope(constant QkNormRopeParams& p [[buffer(0)]],
                         device const ChainState* chain [[buffer(1)]], device float* q [[buffer(2)]],
                         device const float* k [[buffer(3)]], device const float* v [[buffer(4)]],
                         device half* keys [[buffer(5)]], device half* values [[buffer(6)]],
                         device const uint* pages [[buffer(7)]],
                         device const float* factors [[buffer(8), function_constant(HAS_ROPE_FACTORS)]],
                         device const float* query_gain [[buffer(9)]],
                         device const float* key_gain [[buffer(10)]],
                         uint2 group [[threadgroup_position_in_grid]],
                         uint index [[thread_index_in_threadgroup]],
                         uint2 threads [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                         uint simdgroup [[simdgroup_index_in_threadgroup]]) {
  threadgroup float partial[kRowKernelThreads / 32];
  if (chain_halted(chain)) return;
  const uint query_width = p.query_heads * p.head_width, kv_width = p.kv_heads * p.head_width;
  const uint query_parts = query_width / p.query_part, key_parts = kv_width / p.key_part;
  const bool is_query = group.x < query_parts, is_value = group.x >= query_parts + key_parts;
  const uint part = group.x - (is_query ? 0 : is_value ? query_parts + key_parts : query_parts);
  const uint width = is_query ? p.query_part : is_value ? p.head_width : p.key_part;
  device const float* row = is_query   ? (device const float*)q + ulong(group.y) * query_width
                            : is_value ? v + ulong(group.y) * kv_width
                                       : k + ulong(group.y) * kv_width;
  device const float* from = row + part * width;
  device const float* gain = is_query ? query_gain : key_gain;

  float scale = 1.0f;
  if (!is_value) {
    float squares = 0.0f;
    for (uint i = index; i < width; i += threads.x) squares = fma(from[i], from[i], squares);
    const float sum = sum_over_threadgroup(squares, partial, lane, simdgroup, threads.x / 32);
    scale = rsqrt(sum / float(width) + p.epsilon);
  }
  const uint position = p.position + group.y;
  const uint pairs_a_head = p.head_width / 2;
  for (uint i = index; i < width / 2; i += threads.x) {
    const HeadPair pair = head_pair(i % pairs_a_head, is_value ? 0 : p.rotary_width, p.style);
    const uint head = i / pairs_a_head * p.head_width;
    const uint a = head + pair.a, b = head + pair.b;
    float2 elements = float2(from[a], from[b]);
    if (!is_value) elements *= scale * float2(gain[a], gain[b]);
    if (pair.rotated)
      elements = rotate_pair(elements, position, pair.index, p.rotary_width, p.theta, factors);
    if (is_query) {
      device float* to = q + ulong(group.y) * query_width + part * width;
      to[a] = elements.x;
      to[b] = elements.y;
    } else {
      device half* to =
          (is_value ? values : keys) + cache_row(pages, position, p.page_stride, kv_width) + part * width;
      to[a] = half(elements.x);
      to[b] = half(elements.y);
    }
  }
}
