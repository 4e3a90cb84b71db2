// y[R, out] (+)= x[R, in] W^T + bias for up to 16 rows, and the same behind a norm (the output matrix).
// mat_vec.h has the design, launch_shapes.h the grid. With last_row_only the pipeline is that of one row,
// however many the batch has.
#include "chain_guard.h"
#include "mat_vec.h"

// The pair's rows 2 * pair and 2 * pair + 1 of `out`.
template <typename Format>
inline WeightPair neighbours(device const uchar* weight, uint in, uint out, uint pair) {
  const ulong row_bytes = Format::row_bytes(in);
  device const uchar* a = weight + 2 * pair * row_bytes;
  WeightPair rows;
  rows.a = 2 * pair < out ? a : nullptr;
  rows.b = 2 * pair + 1 < out ? a + row_bytes : nullptr;
  return rows;
}

inline void write_product(device float* y, ulong at, float product, bool accumulate) {
  y[at] = accumulate ? y[at] + product : product;
}

template <typename Format>
inline void mat_vec(constant MatMulParams& p, device const float* x, device const uchar* weight,
                    device const float* bias, device float* y, uint rows, threadgroup float* memory,
                    MatVecThread t) {
  const bool last_only = p.last_row_only != 0;
  MatVecInput input;
  input.x = last_only ? x + ulong(rows - 1) * p.in : x;
  input.gain = nullptr;
  input.epsilon = 0.0f;
  input.in = p.in;
  input.rows = last_only ? 1 : rows;
  const float2 product =
      pair_products<Format, false>(input, neighbours<Format>(weight, p.in, p.out, t.pair), memory, t).sums;
  if (t.group_lane >= input.rows) return;
#pragma unroll
  for (uint i = 0; i < 2; ++i) {
    const uint o = 2 * t.pair + i;
    if (o < p.out) {
      write_product(y, ulong(t.group_lane) * p.out + o, HAS_BIAS ? product[i] + bias[o] : product[i],
                    p.accumulate != 0);
    }
  }
}

template <typename Format>
inline void norm_mat_vec(constant NormMatMulParams& p, device const float* x, device const float* gain,
                         device const uchar* weight, device float* y, uint rows, threadgroup float* memory,
                         MatVecThread t) {
  const bool last_only = p.last_row_only != 0;
  MatVecInput input;
  input.x = last_only ? x + ulong(rows - 1) * p.width : x;
  input.gain = gain;
  input.epsilon = p.epsilon;
  input.in = p.width;
  input.rows = last_only ? 1 : rows;
  const PairProducts products =
      pair_products<Format, true>(input, neighbours<Format>(weight, p.width, p.out, t.pair), memory, t);
  if (t.group_lane >= input.rows) return;
  const float2 product = products.sums * products.scale;
#pragma unroll
  for (uint i = 0; i < 2; ++i) {
    const uint o = 2 * t.pair + i;
    if (o < p.out) y[ulong(t.group_lane) * p.out + o] = product[i];
  }
}

#define EMBERLINE_MAT_VEC(suffix, ...)                                                                    \
  kernel void mat_vec_##suffix(                                                                           \
      constant MatMulParams& p [[buffer(0)]], device const ChainState* chain [[buffer(1)]],               \
      device const float* x [[buffer(2)]], device const uchar* weight [[buffer(3)]],                      \
      device const float* bias [[buffer(4), function_constant(HAS_BIAS)]], device float* y [[buffer(5)]], \
      constant uint& rows [[buffer(29)]], threadgroup float* memory [[threadgroup(0)]],                   \
      uint group [[threadgroup_position_in_grid]], uint index [[thread_index_in_threadgroup]],            \
      uint threads [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],                  \
      uint simdgroup [[simdgroup_index_in_threadgroup]]) {                                                \
    if (chain_halted(chain)) return;                                                                      \
    mat_vec<__VA_ARGS__>(p, x, weight, bias, y, rows, memory,                                             \
                         mat_vec_thread(group, index, threads, lane, simdgroup));                         \
  }                                                                                                       \
  kernel void norm_mat_vec_##suffix(                                                                      \
      constant NormMatMulParams& p [[buffer(0)]], device const ChainState* chain [[buffer(1)]],           \
      device const float* x [[buffer(2)]], device const float* gain [[buffer(3)]],                        \
      device const uchar* weight [[buffer(4)]], device float* y [[buffer(5)]],                            \
      constant uint& rows [[buffer(29)]], threadgroup float* memory [[threadgroup(0)]],                   \
      uint group [[threadgroup_position_in_grid]], uint index [[thread_index_in_threadgroup]],            \
      uint threads [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],                  \
      uint simdgroup [[simdgroup_index_in_threadgroup]]) {                                                \
    if (chain_halted(chain)) return;                                                                      \
    norm_mat_vec<__VA_ARGS__>(p, x, gain, weight, y, rows, memory,                                        \
                              mat_vec_thread(group, index, threads, lane, simdgroup));                    \
  }

EMBERLINE_FOR_EACH_FORMAT(EMBERLINE_MAT_VEC)
