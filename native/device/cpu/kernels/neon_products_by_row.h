// product_quantized for the sets that have no faster way with many rows of x than with few. Included by
// their kernels_neon*.cpp files alone, after multiply_part is defined (see neon_products.h).
#pragma once

#include "device/cpu/kernels/neon_products.h"

namespace emberline {
namespace {

template <typename Format>
void product_quantized(const Panels& panels, const ActivationRows& x, float* y, std::size_t stride) {
  multiply_rows_from<Format>(0, panels, x, y, stride);
}

}  // namespace
}  // namespace emberline
