// out[R, F] = activation(norm(x) W_gate^T) * (norm(x) W_up^T) in one command, for up to 16 rows. A group's
// pair of weight rows is row f of the gate and row f of the up matrix, so neither product goes through
// memory. Both matrices have one type. An addition to the residual stream may come in front of the norm
// (mat_vec.h). Grid: gate_up_pairs (launch_shapes.h).
#include "chain_guard.h"
#include "gate_activation.h"
#include "mat_vec.h"

template <typename Format>
inline void norm_gate_up(constant NormGateUpParams& p, MatVecInput input, device const uchar* gate,
                         device const uchar* up, device float* out, threadgroup float* memory,
                         MatVecThread t) {
  const bool has_pair = t.pair < p.hidden;
  const ulong row_bytes = Format::row_bytes(p.width);
  WeightPair weights;
  weights.a = has_pair ? gate + t.pair * row_bytes : nullptr;
  weights.b = has_pair ? up + t.pair * row_bytes : nullptr;
  const PairProducts products = pair_products<Format, true>(input, weights, memory, t);
  if (t.group_lane < input.rows && has_pair) {
    const float2 product = products.sums * products.scale;
    out[ulong(t.group_lane) * p.hidden + t.pair] = gated(product.x, product.y);
  }
}

#define EMBERLINE_NORM_GATE_UP(suffix, ...)                                                              \
  kernel void norm_gate_up_##suffix(                                                                     \
      constant NormGateUpParams& p [[buffer(0)]], device const ChainState* chain [[buffer(1)]],          \
      device const float* x [[buffer(2)]], device const float* gain [[buffer(3)]],                       \
      device const uchar* gate [[buffer(4)]], device const uchar* up [[buffer(5)]],                      \
      device float* out [[buffer(6)]],                                                                   \
      device const float* added [[buffer(7), function_constant(HAS_ADDED)]],                             \
      device const float* added_gain [[buffer(8), function_constant(HAS_ADDED)]],                        \
      device float* sum [[buffer(9), function_constant(HAS_ADDED)]], constant uint& rows [[buffer(29)]], \
      threadgroup float* memory [[threadgroup(0)]], uint group [[threadgroup_position_in_grid]],         \
      uint index [[thread_index_in_threadgroup]], uint threads [[threads_per_threadgroup]],              \
      uint lane [[thread_index_in_simdgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]]) {      \
    if (chain_halted(chain)) return;                                                                     \
    MatVecInput input;                                                                                   \
    input.x = x;                                                                                         \
    input.gain = gain;                                                                                   \
    input.epsilon = p.epsilon;                                                                           \
    input.in = p.width;                                                                                  \
    input.rows = rows;                                                                                   \
    if (HAS_ADDED) {                                                                                     \
      input.added = added;                                                                               \
      input.added_gain = added_gain;                                                                     \
      input.sum = sum;                                                                                   \
    }                                                                                                    \
    norm_gate_up<__VA_ARGS__>(p, input, gate, up, out, memory,                                           \
                              mat_vec_thread(group, index, threads, lane, simdgroup));                   \
  }

EMBERLINE_FOR_EACH_FORMAT(EMBERLINE_NORM_GATE_UP)
