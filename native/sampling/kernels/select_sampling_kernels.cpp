#include "sampling/kernels/select_sampling_kernels.h"

#include "base/cpu_features.h"

namespace emberline {

std::vector<const SamplingKernels*> runnable_sampling_kernels() {
  std::vector<const SamplingKernels*> sets;
#if defined(__x86_64__) || defined(_M_X64)
  if (cpu_features().avx512) sets.push_back(&avx512_sampling_kernels());
  if (cpu_features().avx2) sets.push_back(&avx2_sampling_kernels());
#elif defined(__aarch64__) || defined(_M_ARM64)
  sets.push_back(&neon_sampling_kernels());
#endif
  sets.push_back(&portable_sampling_kernels());
  return sets;
}

const SamplingKernels& sampling_kernels() {
  static const SamplingKernels& best = *runnable_sampling_kernels().front();
  return best;
}

}  // namespace emberline
