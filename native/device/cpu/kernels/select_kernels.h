// Which kernel set a device runs with.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "device/cpu/kernels/kernels.h"
#include "gguf/tensor_type.h"

namespace emberline {

// "auto": the widest set this machine can run. A set it cannot run, or an unknown name, is INVALID_ARGUMENT.
Result<const Kernels*> select_kernels(const std::string& isa);

// The sets this machine can run, best first; "portable" is the last.
std::vector<std::string> runnable_isas();

ProductKernel product_kernel(const Kernels& kernels, TensorType weight_type);

// Whether products with such weights read activations as int8 blocks, not as floats.
inline bool is_quantized(TensorType weight_type) {
  return traits(weight_type).block_elements > 1;
}

}  // namespace emberline
