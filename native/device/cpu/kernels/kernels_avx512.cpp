// The kernel set for AVX-512 (F, BW, DQ, VL) with VNNI: Ice Lake and Zen 4 onwards. Built with those flags,
// see CMakeLists.txt; kernels.h has the rules.
#include "device/cpu/kernels/avx512_integers.h"
#include "device/cpu/kernels/avx512_quantize.h"
#include "device/cpu/kernels/avx512_vector.h"
#include "device/cpu/kernels/packed_products.h"
#include "device/cpu/kernels/table_of_kernels.h"

namespace emberline {

const Kernels& avx512_kernels() {
  static constexpr Kernels kernels = kernel_set("avx512");
  return kernels;
}

}  // namespace emberline
