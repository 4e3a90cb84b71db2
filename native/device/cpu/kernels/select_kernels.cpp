#include "device/cpu/kernels/select_kernels.h"

#include "base/cpu_features.h"

namespace emberline {
namespace {

struct KernelSet {
  const char* isa;
  bool (*runs_here)();
  const Kernels& (*kernels)();
};

// Best first.
constexpr KernelSet kKernelSets[] = {
#if defined(__x86_64__) || defined(_M_X64)
    {"avx512", [] { return cpu_features().avx512; }, avx512_kernels},
    {"avxvnni", [] { return cpu_features().avx_vnni; }, avxvnni_kernels},
    {"avx2", [] { return cpu_features().avx2; }, avx2_kernels},
#elif defined(__aarch64__) || defined(_M_ARM64)
#if EMBERLINE_NEON_I8MM
    {"neon_i8mm", [] { return cpu_features().dot_product && cpu_features().i8mm; }, neon_i8mm_kernels},
#endif
    {"neon", [] { return cpu_features().dot_product; }, neon_kernels},
    {"neon_mull", [] { return true; }, neon_mull_kernels},
#endif
    {"portable", [] { return true; }, portable_kernels},
};

}  // namespace

std::vector<std::string> runnable_isas() {
  std::vector<std::string> names;
  for (const KernelSet& set : kKernelSets) {
    if (set.runs_here()) names.emplace_back(set.isa);
  }
  return names;
}

Result<const Kernels*> select_kernels(const std::string& isa) {
  std::string known = "'auto'";
  for (const KernelSet& set : kKernelSets) {
    if ((isa == "auto" || isa == set.isa) && set.runs_here()) return &set.kernels();
    if (isa == set.isa) {
      return Status(ErrorCode::kInvalidArgument,
                    "This processor cannot run the instruction set '" + isa + "'; use 'auto'.");
    }
    known += std::string(", '") + set.isa + "'";
  }
  return Status(ErrorCode::kInvalidArgument,
                "Unknown instruction set '" + isa + "'; use one of " + known + ".");
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
