// norm, query, key and value products, biases, rotary embedding and KV write in one command, for up to 16
// rows.
//
// x [R, D] -> q [R, H*d] rotated; keys (rotated) and values of positions position .. position + R - 1 into
// the cache, as halves. A group's pair of weight rows is what a rotation mixes, so the rotation happens in
// the registers that hold the products, and k and v never go through memory as floats. All three matrices are
// read once, as mat_vec.h says; x is staged once for all three. Values may have another type than queries and
// keys, where no threadgroup has pairs of both (qkv_threadgroups_are_apart, launch_shapes.h). Pairs are
// numbered through the query heads, the key heads and the value heads.
//
// Requires an even head width and rotary width (the host checks). Grid: rope_pairs (launch_shapes.h).
#include "chain_guard.h"
#include "qkv_sections.h"
#include "rope.h"

struct QkvBuffers {
  device const uchar* weights[3];  // q, k, v
  device const float* biases[3];
  device float* q;
  device half* keys;
  device half* values;
  device const uint* pages;
  device const float* factors;
};

template <typename Format, typename ValueFormat>
inline void norm_qkv_rope(constant NormQkvRopeParams& p, device const float* x, device const float* gain,
                          QkvBuffers to, uint rows, threadgroup float* memory, MatVecThread t) {
  const uint pairs_a_head = p.head_width / 2;
  const uint head = t.pair / pairs_a_head;
  const uint section = head < p.query_heads ? 0 : head < p.query_heads + p.kv_heads ? 1 : 2;
  const bool has_pair = head < p.query_heads + 2 * p.kv_heads;
  const uint own_head = section == 0 ? head : head - p.query_heads - (section == 2 ? p.kv_heads : 0);
  // Values are not rotated: with no rotary width, a head's pairs are neighbours.
  const HeadPair pair = head_pair(t.pair % pairs_a_head, section == 2 ? 0 : p.rotary_width, p.style);
  const uint a = own_head * p.head_width + pair.a;
  const uint b = own_head * p.head_width + pair.b;

  device const uchar* weight = section == 0 ? to.weights[0] : section == 1 ? to.weights[1] : to.weights[2];
  using Products = SectionProducts<Format, ValueFormat>;
  const ulong row_bytes = Products::row_bytes(p.width, section == 2);
  WeightPair weights;
  weights.a = has_pair ? weight + a * row_bytes : nullptr;
  weights.b = has_pair ? weight + b * row_bytes : nullptr;
  MatVecInput input;
  input.x = x;
  input.gain = gain;
  input.epsilon = p.epsilon;
  input.in = p.width;
  input.rows = rows;
  const PairProducts products = Products::of(input, weights, section == 2, memory, t);

  const uint row = t.group_lane;
  if (row >= input.rows || !has_pair) return;
  float2 product = products.sums * products.scale;
  if (HAS_BIAS) {
    device const float* bias = section == 0 ? to.biases[0] : section == 1 ? to.biases[1] : to.biases[2];
    product = fma(products.sums, float2(products.scale), float2(bias[a], bias[b]));
  }
  const uint position = p.position + row;
  if (pair.rotated) product = rotate_pair(product, position, pair.index, p.rotary_width, p.theta, to.factors);
  if (section == 0) {
    device float* q = to.q + ulong(row) * p.query_heads * p.head_width;
    q[a] = product.x;
    q[b] = product.y;
  } else {
    device half* entry = (section == 1 ? to.keys : to.values) +
                         cache_row(to.pages, position, p.page_stride, p.kv_heads * p.head_width);
    entry[a] = half(product.x);
    entry[b] = half(product.y);
  }
}

#define EMBERLINE_NORM_QKV_ROPE_OF(suffix, ...)                                                             \
  kernel void norm_qkv_rope_##suffix(                                                                       \
      constant NormQkvRopeParams& p [[buffer(0)]], device const ChainState* chain [[buffer(1)]],            \
      device const float* x [[buffer(2)]], device const float* gain [[buffer(3)]],                          \
      device const uchar* query_weight [[buffer(4)]], device const uchar* key_weight [[buffer(5)]],         \
      device const uchar* value_weight [[buffer(6)]],                                                       \
      device const float* query_bias [[buffer(7), function_constant(HAS_BIAS)]],                            \
      device const float* key_bias [[buffer(8), function_constant(HAS_BIAS)]],                              \
      device const float* value_bias [[buffer(9), function_constant(HAS_BIAS)]],                            \
      device float* q [[buffer(10)]], device half* keys [[buffer(11)]], device half* values [[buffer(12)]], \
      device const uint* pages [[buffer(13)]],                                                              \
      device const float* factors [[buffer(14), function_constant(HAS_ROPE_FACTORS)]],                      \
      constant uint& rows [[buffer(29)]], threadgroup float* memory [[threadgroup(0)]],                     \
      uint group [[threadgroup_position_in_grid]], uint index [[thread_index_in_threadgroup]],              \
      uint threads [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],                    \
      uint simdgroup [[simdgroup_index_in_threadgroup]]) {                                                  \
    if (chain_halted(chain)) return;                                                                        \
    QkvBuffers to;                                                                                          \
    to.weights[0] = query_weight;                                                                           \
    to.weights[1] = key_weight;                                                                             \
    to.weights[2] = value_weight;                                                                           \
    if (HAS_BIAS) {                                                                                         \
      to.biases[0] = query_bias;                                                                            \
      to.biases[1] = key_bias;                                                                              \
      to.biases[2] = value_bias;                                                                            \
    }                                                                                                       \
    to.q = q;                                                                                               \
    to.keys = keys;                                                                                         \
    to.values = values;                                                                                     \
    to.pages = pages;                                                                                       \
    if (HAS_ROPE_FACTORS) to.factors = factors;                                                             \
    norm_qkv_rope<__VA_ARGS__>(p, x, gain, to, rows, memory,                                                \
                               mat_vec_thread(group, index, threads, lane, simdgroup));                     \
  }

#define EMBERLINE_NORM_QKV_ROPE(suffix, ...) EMBERLINE_NORM_QKV_ROPE_OF(suffix, __VA_ARGS__, __VA_ARGS__)

EMBERLINE_FOR_EACH_FORMAT(EMBERLINE_NORM_QKV_ROPE)
EMBERLINE_FOR_EACH_FORMAT_OF_VALUES(EMBERLINE_NORM_QKV_ROPE_OF)
