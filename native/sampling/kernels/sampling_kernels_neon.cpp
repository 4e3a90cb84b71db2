// The kernel set for 64-bit Arm, every processor of which has these instructions. sampling_kernels.h has the
// rules.
#include "simd/neon/words.h"

#include "sampling/kernels/logit_loops.h"

namespace emberline {

const SamplingKernels& neon_sampling_kernels() {
  static constexpr SamplingKernels kernels = sampling_kernel_set("neon");
  return kernels;
}

}  // namespace emberline
