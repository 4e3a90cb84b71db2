// The kernel set for the dot product extension and that for products of int8 matrices (i8mm). Built with
// those flags, see CMakeLists.txt; kernels.h has the rules.
#include "device/cpu/kernels/neon_dot.h"
#include "device/cpu/kernels/neon_i8mm.h"
#include "device/cpu/kernels/neon_products.h"

namespace emberline {
namespace {

// Rows of x eight, four and two at a time, and the last odd one; finely quantised rows, which are few,
// singly.
template <typename Format>
void product_quantized(const Panels& panels, const ActivationRows& x, float* y, std::size_t stride) {
  std::size_t r = 0;
  if (x.fine == nullptr) {
    for (; r + 8 <= x.rows; r += 8) multiply_pairs<Format, 4>(panels, x, r, y, stride);
    for (; r + 4 <= x.rows; r += 4) multiply_pairs<Format, 2>(panels, x, r, y, stride);
    for (; r + 2 <= x.rows; r += 2) multiply_pairs<Format, 1>(panels, x, r, y, stride);
  }
  if (r < x.rows) multiply_rows_from<Format>(r, panels, x, y, stride);
}

}  // namespace
}  // namespace emberline

#include "device/cpu/kernels/table_of_kernels.h"

namespace emberline {

const Kernels& neon_i8mm_kernels() {
  static constexpr Kernels kernels = kernel_set("neon_i8mm");
  return kernels;
}

}  // namespace emberline
