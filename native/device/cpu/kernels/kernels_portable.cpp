// The kernel set for any processor: plain loops over 8 lanes, which compilers turn into the baseline's
// vectors.
#include "simd/portable/vector.h"

#include "device/cpu/kernels/portable_products.h"
#include "device/cpu/kernels/table_of_kernels.h"

namespace emberline {

const Kernels& portable_kernels() {
  static constexpr Kernels kernels = kernel_set("portable");
  return kernels;
}

}  // namespace emberline
