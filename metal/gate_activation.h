// What a gated linear unit makes of its gate and its other half: activation(gate) * up (op_params.h).
#pragma once

#include <metal_stdlib>

#include "function_constants.h"
#include "op_params.h"

using namespace metal;

// Both activations are z / (1 + exp(y)): with y = -z for SiLU, and y = -2 sqrt(2 / pi) (z + 0.044715 z^3) for
// GELU, since (1 + tanh(u)) / 2 = 1 / (1 + exp(-2u)). Where exp overflows to infinity the quotient is a zero,
// as it should be.
inline float gated(float gate, float up) {
  const float exponent =
      GATE_ACTIVATION == kGateGeluTanh ? gate * fma(gate * gate, 0.044715f, 1.0f) * -1.5957691f : -gate;
  return gate / (1.0f + exp(exponent)) * up;
}
