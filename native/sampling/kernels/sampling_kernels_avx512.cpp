// The kernel set for AVX-512 (F, BW, DQ, VL). Built with those flags, see CMakeLists.txt; sampling_kernels.h
// has the rules.
#include "simd/avx512/words.h"

#include "sampling/kernels/logit_loops.h"

namespace emberline {

const SamplingKernels& avx512_sampling_kernels() {
  static constexpr SamplingKernels kernels = sampling_kernel_set("avx512");
  return kernels;
}

}  // namespace emberline
