// Which kernel set a device runs with.
#pragma once

#include <string>

#include "base/status.h"
#include "device/cpu/kernels/kernels.h"

namespace emberline {

// By the name of simd/instruction_sets.h. INVALID_ARGUMENT.
Result<const Kernels*> select_kernels(const std::string& isa);

// Whether products with such weights read activations as int8 blocks, not as floats.
inline bool is_quantized(TensorType weight_type) {
  return traits(weight_type).block_elements > 1;
}

}  // namespace emberline
