// Every type of weights that there are kernels for.
#pragma once

#include "block_formats.h"
#include "coded_blocks.h"
#include "super_blocks.h"

// One instantiation of a kernel for each weight type: name suffix, format.
#define EMBERLINE_FOR_EACH_FORMAT(INSTANTIATE) \
  INSTANTIATE(f32, FloatRows<Float32>)         \
  INSTANTIATE(f16, FloatRows<Float16>)         \
  INSTANTIATE(bf16, FloatRows<BFloat16>)       \
  INSTANTIATE(q4_0, Q4_0)                      \
  INSTANTIATE(q4_1, Q4_1)                      \
  INSTANTIATE(q5_0, Q5_0)                      \
  INSTANTIATE(q5_1, Q5_1)                      \
  INSTANTIATE(q8_0, Int8Blocks)                \
  INSTANTIATE(q2_k, Q2_K)                      \
  INSTANTIATE(q3_k, Q3_K)                      \
  INSTANTIATE(q4_k, Q4_K)                      \
  INSTANTIATE(q5_k, Q5_K)                      \
  INSTANTIATE(q6_k, Q6_K)                      \
  INSTANTIATE(iq4_nl, IQ4_NL)                  \
  INSTANTIATE(iq4_xs, IQ4_XS)                  \
  INSTANTIATE(mxfp4, MXFP4)

// And for the pairs of types that files mix within one attention: of queries and keys, and of values.
#define EMBERLINE_FOR_EACH_FORMAT_OF_VALUES(INSTANTIATE) \
  INSTANTIATE(q3_k_q4_k, Q3_K, Q4_K)                     \
  INSTANTIATE(q3_k_q5_k, Q3_K, Q5_K)                     \
  INSTANTIATE(q4_k_q5_k, Q4_K, Q5_K)                     \
  INSTANTIATE(q4_k_q6_k, Q4_K, Q6_K)                     \
  INSTANTIATE(q5_k_q6_k, Q5_K, Q6_K)
