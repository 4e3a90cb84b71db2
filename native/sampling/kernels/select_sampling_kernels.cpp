#include "sampling/kernels/select_sampling_kernels.h"

namespace emberline {

const SamplingKernels& sampling_kernels(InstructionSet set) {
  switch (set) {
#if defined(__x86_64__) || defined(_M_X64)
    case InstructionSet::kAvx512: return avx512_sampling_kernels();
    case InstructionSet::kAvxVnni:
    case InstructionSet::kAvx2: return avx2_sampling_kernels();
#elif defined(__aarch64__) || defined(_M_ARM64)
    case InstructionSet::kNeonI8mm:
    case InstructionSet::kNeon:
    case InstructionSet::kNeonMull: return neon_sampling_kernels();
#endif
    default: return portable_sampling_kernels();
  }
}

const SamplingKernels& best_sampling_kernels() {
  static const SamplingKernels& best = sampling_kernels(runnable_instruction_sets().front());
  return best;
}

}  // namespace emberline
