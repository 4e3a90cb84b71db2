// The products of prefill; mat_mat.h has the design. last_row_only products are mat_vec's.
#include "chain_guard.h"
#include "mat_mat.h"

#define EMBERLINE_MAT_MAT(suffix, ...)                                                                    \
  kernel void mat_mat_##suffix(                                                                           \
      constant MatMulParams& p [[buffer(0)]], device const ChainState* chain [[buffer(1)]],               \
      device const float* x [[buffer(2)]], device const uchar* weight [[buffer(3)]],                      \
      device const float* bias [[buffer(4), function_constant(HAS_BIAS)]], device float* y [[buffer(5)]], \
      constant uint& rows [[buffer(29)]], threadgroup float4* tiles [[threadgroup(0)]],                   \
      uint2 group [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],    \
      uint simdgroup [[simdgroup_index_in_threadgroup]]) {                                                \
    if (chain_halted(chain)) return;                                                                      \
    mat_mat<__VA_ARGS__>(p, x, weight, bias, y, rows, (threadgroup float*)tiles, group, thread_index,     \
                         simdgroup);                                                                      \
  }

EMBERLINE_FOR_EACH_FORMAT(EMBERLINE_MAT_MAT)
