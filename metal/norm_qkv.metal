// norm, and the query, key and value products with their biases, for up to 16 rows: where norms of queries
// and keys come between them and the rotation (qk_norm_rope.metal), or where an addition to the residual
// stream comes in front of the norm (mat_vec.h).
//
// x [R, D] -> q [R, q_out], k and v [R, kv_out]. A group's pair of weight rows are neighbours; pairs are
// numbered through queries, keys and values. Grid: qkv_pairs (launch_shapes.h).
#include "chain_guard.h"
#include "qkv_sections.h"

struct SplitQkvBuffers {
  device const uchar* weights[3];  // q, k, v
  device const float* biases[3];
  device float* out[3];
};

template <typename Format, typename ValueFormat>
inline void norm_qkv(constant NormQkvParams& p, MatVecInput input, SplitQkvBuffers to,
                     threadgroup float* memory, MatVecThread t) {
  const uint query_pairs = mat_vec_pairs(p.q_out), kv_pairs = mat_vec_pairs(p.kv_out);
  const uint section = t.pair < query_pairs              ? kQuerySection
                       : t.pair < query_pairs + kv_pairs ? kKeySection
                                                         : kValueSection;
  const uint pair = section == kQuerySection ? t.pair
                    : section == kKeySection ? t.pair - query_pairs
                                             : t.pair - query_pairs - kv_pairs;
  const uint out = section == kQuerySection ? p.q_out : p.kv_out;
  device const uchar* weight = section == kQuerySection ? to.weights[0]
                               : section == kKeySection ? to.weights[1]
                                                        : to.weights[2];
  using Products = SectionProducts<Format, ValueFormat>;
  const ulong row_bytes = Products::row_bytes(p.width, section == kValueSection);
  WeightPair weights;
  weights.a = 2 * pair < out ? weight + 2 * pair * row_bytes : nullptr;
  weights.b = 2 * pair + 1 < out ? weight + (2 * pair + 1) * row_bytes : nullptr;
  const PairProducts products = Products::of(input, weights, section == kValueSection, memory, t);

  if (t.group_lane >= input.rows) return;
  device const float* bias = nullptr;
  if (HAS_BIAS) {
    bias = section == kQuerySection ? to.biases[0] : section == kKeySection ? to.biases[1] : to.biases[2];
  }
  device float* y = section == kQuerySection ? to.out[0] : section == kKeySection ? to.out[1] : to.out[2];
#pragma unroll
  for (uint i = 0; i < 2; ++i) {
    const uint o = 2 * pair + i;
    if (o >= out) continue;
    y[ulong(t.group_lane) * out + o] =
        HAS_BIAS ? fma(products.sums[i], products.scale, bias[o]) : products.sums[i] * products.scale;
  }
}

#define EMBERLINE_NORM_QKV_OF(suffix, ...)                                                                \
  kernel void norm_qkv_##suffix(                                                                          \
      constant NormQkvParams& p [[buffer(0)]], device const ChainState* chain [[buffer(1)]],              \
      device const float* x [[buffer(2)]], device const float* gain [[buffer(3)]],                        \
      device const uchar* query_weight [[buffer(4)]], device const uchar* key_weight [[buffer(5)]],       \
      device const uchar* value_weight [[buffer(6)]],                                                     \
      device const float* query_bias [[buffer(7), function_constant(HAS_BIAS)]],                          \
      device const float* key_bias [[buffer(8), function_constant(HAS_BIAS)]],                            \
      device const float* value_bias [[buffer(9), function_constant(HAS_BIAS)]],                          \
      device float* q [[buffer(10)]], device float* k [[buffer(11)]], device float* v [[buffer(12)]],     \
      device const float* added [[buffer(13), function_constant(HAS_ADDED)]],                             \
      device const float* added_gain [[buffer(14), function_constant(HAS_ADDED)]],                        \
      device float* sum [[buffer(15), function_constant(HAS_ADDED)]], constant uint& rows [[buffer(29)]], \
      threadgroup float* memory [[threadgroup(0)]], uint group [[threadgroup_position_in_grid]],          \
      uint index [[thread_index_in_threadgroup]], uint threads [[threads_per_threadgroup]],               \
      uint lane [[thread_index_in_simdgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]]) {       \
    if (chain_halted(chain)) return;                                                                      \
    MatVecInput input;                                                                                    \
    input.x = x;                                                                                          \
    input.gain = gain;                                                                                    \
    input.epsilon = p.epsilon;                                                                            \
    input.in = p.width;                                                                                   \
    input.rows = rows;                                                                                    \
    if (HAS_ADDED) {                                                                                      \
      input.added = added;                                                                                \
      input.added_gain = added_gain;                                                                      \
      input.sum = sum;                                                                                    \
    }                                                                                                     \
    SplitQkvBuffers to;                                                                                   \
    to.weights[0] = query_weight;                                                                         \
    to.weights[1] = key_weight;                                                                           \
    to.weights[2] = value_weight;                                                                         \
    if (HAS_BIAS) {                                                                                       \
      to.biases[0] = query_bias;                                                                          \
      to.biases[1] = key_bias;                                                                            \
      to.biases[2] = value_bias;                                                                          \
    }                                                                                                     \
    to.out[0] = q;                                                                                        \
    to.out[1] = k;                                                                                        \
    to.out[2] = v;                                                                                        \
    norm_qkv<__VA_ARGS__>(p, input, to, memory, mat_vec_thread(group, index, threads, lane, simdgroup));  \
  }

#define EMBERLINE_NORM_QKV(suffix, ...) EMBERLINE_NORM_QKV_OF(suffix, __VA_ARGS__, __VA_ARGS__)

EMBERLINE_FOR_EACH_FORMAT(EMBERLINE_NORM_QKV)
EMBERLINE_FOR_EACH_FORMAT_OF_VALUES(EMBERLINE_NORM_QKV_OF)
