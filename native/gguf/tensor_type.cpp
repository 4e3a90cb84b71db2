#include "gguf/tensor_type.h"

namespace emberline {

const TensorTypeTraits* tensor_type_traits(std::uint32_t id) {
  static constexpr TensorTypeTraits kF32{"F32", 1, 4};
  static constexpr TensorTypeTraits kF16{"F16", 1, 2};
  static constexpr TensorTypeTraits kQ4_0{"Q4_0", 32, 18};
  static constexpr TensorTypeTraits kQ4_1{"Q4_1", 32, 20};
  static constexpr TensorTypeTraits kQ5_0{"Q5_0", 32, 22};
  static constexpr TensorTypeTraits kQ5_1{"Q5_1", 32, 24};
  static constexpr TensorTypeTraits kQ8_0{"Q8_0", 32, 34};
  static constexpr TensorTypeTraits kQ2_K{"Q2_K", 256, 84};
  static constexpr TensorTypeTraits kQ3_K{"Q3_K", 256, 110};
  static constexpr TensorTypeTraits kQ4_K{"Q4_K", 256, 144};
  static constexpr TensorTypeTraits kQ5_K{"Q5_K", 256, 176};
  static constexpr TensorTypeTraits kQ6_K{"Q6_K", 256, 210};
  static constexpr TensorTypeTraits kIQ4_NL{"IQ4_NL", 32, 18};
  static constexpr TensorTypeTraits kIQ4_XS{"IQ4_XS", 256, 136};
  static constexpr TensorTypeTraits kMXFP4{"MXFP4", 32, 17};
  static constexpr TensorTypeTraits kBF16{"BF16", 1, 2};
  switch (static_cast<TensorType>(id)) {
    case TensorType::kF32: return &kF32;
    case TensorType::kF16: return &kF16;
    case TensorType::kQ4_0: return &kQ4_0;
    case TensorType::kQ4_1: return &kQ4_1;
    case TensorType::kQ5_0: return &kQ5_0;
    case TensorType::kQ5_1: return &kQ5_1;
    case TensorType::kQ8_0: return &kQ8_0;
    case TensorType::kQ2_K: return &kQ2_K;
    case TensorType::kQ3_K: return &kQ3_K;
    case TensorType::kQ4_K: return &kQ4_K;
    case TensorType::kQ5_K: return &kQ5_K;
    case TensorType::kQ6_K: return &kQ6_K;
    case TensorType::kIQ4_NL: return &kIQ4_NL;
    case TensorType::kIQ4_XS: return &kIQ4_XS;
    case TensorType::kMXFP4: return &kMXFP4;
    case TensorType::kBF16: return &kBF16;
  }
  return nullptr;
}

}  // namespace emberline
