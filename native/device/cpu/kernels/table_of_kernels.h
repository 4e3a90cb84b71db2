// The table of a kernel set. Included by the kernels_*.cpp files alone, after they have defined
// `Vector` and product_quantized<Format>.
#pragma once

#include "device/cpu/kernels/attention_loops.h"
#include "device/cpu/kernels/kernel_loops.h"
#include "device/cpu/kernels/quantize_loops.h"

namespace emberline {
namespace {

ProductKernel product(TensorType weight_type) {
  return with_format(weight_type, [](auto format) -> ProductKernel {
    using Format = decltype(format);
    if constexpr (Format::kIsQuantized) {
      return product_quantized<Format>;
    } else {
      return product_float<typename Format::Block>;
    }
  });
}

constexpr Kernels kernel_set(const char* isa) {
  return {isa,     quantize_row, quantize_row_fine, sum_of_squares, scale_row,        kGateKernels,
          exp_row, soft_cap_row, scan_logits,       widen_halves,   narrow_to_halves, kAttentionKernels,
          product};
}

}  // namespace
}  // namespace emberline
