// The activations of a gated unit, slowly and in double precision: what tests compare devices with, and a
// device itself when it starts.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "device/op_params.h"

namespace emberline {

// NaN, which is near nothing, for a number that stands for no activation.
inline double gate_reference(double z, std::uint32_t activation) {
  switch (activation) {
    case kGateSilu: return z / (1.0 + std::exp(-z));
    case kGateGeluTanh:
      return 0.5 * z * (1.0 + std::tanh(0.7978845608028654 * (z + 0.044715 * z * z * z)));  // sqrt(2 / pi)
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace emberline
