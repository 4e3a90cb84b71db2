#include "device/cpu/kernels/select_kernels.h"

#include "base/try.h"
#include "simd/instruction_sets.h"

namespace emberline {
namespace {

const Kernels& kernels_of(InstructionSet set) {
  switch (set) {
#if defined(__x86_64__) || defined(_M_X64)
    case InstructionSet::kAvx512: return avx512_kernels();
    case InstructionSet::kAvxVnni: return avxvnni_kernels();
    case InstructionSet::kAvx2: return avx2_kernels();
#elif defined(__aarch64__) || defined(_M_ARM64)
#if EMBERLINE_NEON_I8MM
    case InstructionSet::kNeonI8mm: return neon_i8mm_kernels();
#endif
    case InstructionSet::kNeon: return neon_kernels();
    case InstructionSet::kNeonMull: return neon_mull_kernels();
#endif
    default: return portable_kernels();
  }
}

}  // namespace

Result<const Kernels*> select_kernels(const std::string& isa) {
  TRY_VALUE(const InstructionSet set, instruction_set(isa));
  return &kernels_of(set);
}

}  // namespace emberline
