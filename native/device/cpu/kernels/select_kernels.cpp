#include "device/cpu/kernels/select_kernels.h"

#include "base/cpu_features.h"

namespace emberline {

Result<const Kernels*> select_kernels(const std::string& isa) {
#if defined(__x86_64__) || defined(_M_X64)
  if ((isa == "auto" || isa == "avx2") && cpu_features().avx2) return &avx2_kernels();
#endif
  if (isa == "auto" || isa == "portable") return &portable_kernels();
  if (isa == "avx2")
    return Status(ErrorCode::kInvalidArgument, "This processor has no AVX2; use the instruction set 'auto'.");
  return Status(ErrorCode::kInvalidArgument,
                "Unknown instruction set '" + isa + "'; use 'auto', 'portable' or 'avx2'.");
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
  }
  return nullptr;
}

}  // namespace emberline
