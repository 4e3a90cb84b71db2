// The kernel set for every AArch64 processor, for those without the dot product extension;
// kernels.h has the rules.
#include "device/cpu/kernels/neon_mull.h"
#include "device/cpu/kernels/neon_products.h"
#include "device/cpu/kernels/neon_quantize.h"

namespace emberline {
namespace {

template <typename Format>
void product_quantized(const Panels& panels, const ActivationRows& x, float* y, std::size_t stride) {
  multiply_rows_from<Format>(0, panels, x, y, stride);
}

}  // namespace
}  // namespace emberline

#include "device/cpu/kernels/table_of_kernels.h"

namespace emberline {

const Kernels& neon_mull_kernels() {
  static constexpr Kernels kernels = kernel_set("neon_mull");
  return kernels;
}

}  // namespace emberline
