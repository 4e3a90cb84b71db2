// The kernel set for every AArch64 processor, for those without the dot product extension;
// kernels.h has the rules.
#include "device/cpu/kernels/neon_mull.h"
#include "device/cpu/kernels/neon_products_by_row.h"
#include "device/cpu/kernels/table_of_kernels.h"

namespace emberline {

const Kernels& neon_mull_kernels() {
  static constexpr Kernels kernels = kernel_set("neon_mull");
  return kernels;
}

}  // namespace emberline
