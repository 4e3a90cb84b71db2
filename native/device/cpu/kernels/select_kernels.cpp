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

ProductKernel product_kernel(const Kernels& kernels, TensorType weight_type) {
  switch (weight_type) {
    case TensorType::kF32: return kernels.product_f32;
    case TensorType::kF16: return kernels.product_f16;
    case TensorType::kBF16: return kernels.product_bf16;
    case TensorType::kQ4_0: return kernels.product_q4_0;
    case TensorType::kQ4_1: return kernels.product_q4_1;
    case TensorType::kQ5_0: return kernels.product_q5_0;
    case TensorType::kQ5_1: return kernels.product_q5_1;
    case TensorType::kQ8_0: return kernels.product_q8_0;
    case TensorType::kQ2_K: return kernels.product_q2_k;
    case TensorType::kQ3_K: return kernels.product_q3_k;
    case TensorType::kQ4_K: return kernels.product_q4_k;
    case TensorType::kQ5_K: return kernels.product_q5_k;
    case TensorType::kQ6_K: return kernels.product_q6_k;
    case TensorType::kIQ4_NL: return kernels.product_iq4_nl;
    case TensorType::kIQ4_XS: return kernels.product_iq4_xs;
    case TensorType::kMXFP4: return kernels.product_mxfp4;
  }
  return nullptr;
}

}  // namespace emberline
