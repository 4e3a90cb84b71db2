// The kernel set for AVX2. Built with those flags, see CMakeLists.txt; sampling_kernels.h has the rules.
#include "simd/avx2/words.h"

#include "sampling/kernels/logit_loops.h"

namespace emberline {

const SamplingKernels& avx2_sampling_kernels() {
  static constexpr SamplingKernels kernels = sampling_kernel_set("avx2");
  return kernels;
}

}  // namespace emberline
