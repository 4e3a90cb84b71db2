// Prefill: rotates q [R, H*d] in place and writes k [R, G*d], rotated, and v [R, G*d] into the cache as
// halves. One thread a pair of elements and row; neighbouring threads take neighbouring pairs, each element
// is read and written once. k and v stay as they were. Grid: x over rope_pairs, y = rows (launch_shapes.h).
#include "chain_guard.h"
#include "rope.h"

kernel void rope_kv_write(constant RopeKvWriteParams& p [[buffer(0)]],
                          device const ChainState* chain [[buffer(1)]], device float* q [[buffer(2)]],
                          device const float* k [[buffer(3)]], device const float* v [[buffer(4)]],
                          device half* keys [[buffer(5)]], device half* values [[buffer(6)]],
                          device const uint* pages [[buffer(7)]],
                          device const float* factors [[buffer(8), function_constant(HAS_ROPE_FACTORS)]],
                          uint2 at [[thread_position_in_grid]]) {
  if (chain_halted(chain)) return;
  const uint pairs_a_head = p.head_width / 2;
  const uint row = at.y;
  uint head = at.x / pairs_a_head;
  if (head >= p.query_heads + 2 * p.kv_heads) return;
  const uint position = p.position + row;
  const bool is_query = head < p.query_heads;
  if (!is_query) head -= p.query_heads;
  const bool is_value = !is_query && head >= p.kv_heads;
  if (is_value) head -= p.kv_heads;

  const HeadPair pair = head_pair(at.x % pairs_a_head, is_value ? 0 : p.rotary_width, p.style);
  const uint heads = is_query ? p.query_heads : p.kv_heads;
  const uint a = head * p.head_width + pair.a;
  const uint b = head * p.head_width + pair.b;
  const ulong source = ulong(row) * heads * p.head_width;
  device const float* from = (is_query ? (device const float*)q : is_value ? v : k) + source;
  float2 elements = float2(from[a], from[b]);
  if (pair.rotated) elements = rotate_pair(elements, position, pair.index, p.rotary_width, p.theta, factors);
  if (is_query) {
    q[source + a] = elements.x;
    q[source + b] = elements.y;
  } else {
    device half* entry =
        (is_value ? values : keys) + cache_row(pages, position, p.page_stride, p.kv_heads * p.head_width);
    entry[a] = half(elements.x);
    entry[b] = half(elements.y);
  }
}
