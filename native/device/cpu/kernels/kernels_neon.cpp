// The kernel set for ARMv8.2 with the dot product extension. Built with that flag, see CMakeLists.txt;
// kernels.h has the rules.
#include "device/cpu/kernels/neon_dot.h"
#include "device/cpu/kernels/neon_products_by_row.h"
#include "device/cpu/kernels/table_of_kernels.h"

namespace emberline {

const Kernels& neon_kernels() {
  static constexpr Kernels kernels = kernel_set("neon");
  return kernels;
}

}  // namespace emberline
