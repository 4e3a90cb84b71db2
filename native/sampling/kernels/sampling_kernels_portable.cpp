// The kernel set for any processor.
#include "simd/portable/words.h"

#include "sampling/kernels/logit_loops.h"

namespace emberline {

const SamplingKernels& portable_sampling_kernels() {
  static constexpr SamplingKernels kernels = sampling_kernel_set("portable");
  return kernels;
}

}  // namespace emberline
