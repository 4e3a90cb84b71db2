// The table of a kernel set. Included by the kernels_*.cpp files alone, after they have defined
// `Vector` and product_quantized<Format>.
#pragma once

#include "device/cpu/kernels/attention_loops.h"
#include "device/cpu/kernels/kernel_loops.h"
#include "device/cpu/kernels/quantize_loops.h"

namespace emberline {
namespace {

constexpr Kernels kernel_set(const char* isa) {
  return {isa,
          quantize_row,
          quantize_row_fine,
          sum_of_squares,
          scale_row,
          kGateKernels,
          exp_row,
          soft_cap_row,
          scan_logits,
          widen_halves,
          narrow_to_halves,
          kAttentionKernels,
          product_float<F32Weights>,
          product_float<F16Weights>,
          product_float<Bf16Weights>,
          product_quantized<Q4_0>,
          product_quantized<Q4_1>,
          product_quantized<Q5_0>,
          product_quantized<Q5_1>,
          product_quantized<Q8_0>,
          product_quantized<IQ4_NL>,
          product_quantized<MXFP4>,
          product_quantized<Q2_K>,
          product_quantized<Q3_K>,
          product_quantized<Q4_K>,
          product_quantized<Q5_K>,
          product_quantized<Q6_K>,
          product_quantized<IQ4_XS>};
}

}  // namespace
}  // namespace emberline
