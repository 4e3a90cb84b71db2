// The gate of SwiGLU (Shazeer, 2020): silu(gate) * up, where silu(z) = z / (1 + exp(-z)).
#pragma once

#include <metal_stdlib>

using namespace metal;

// For gate < -88, exp overflows to infinity and the quotient is a zero, as it should be.
inline float swi_glu_of(float gate, float up) {
  return gate / (1.0f + exp(-gate)) * up;
}
