// Soft caps (Gemma 2, 2024): cap * tanh(x / cap), of attention's scores and of logits.
#pragma once

#include <metal_stdlib>

using namespace metal;

// tanh(u) is 1 - 2 / (1 + exp(2u)): where exp overflows to infinity it is 1, where it vanishes -1, as it
// should be. Off by some roundings of the cap, so the small x of a large cap keep fewer digits than they
// had. The one fusion is explicit: the result has the same bits whoever compiles it.
inline float soft_capped(float x, float cap) {
  return fma(-2.0f * cap, 1.0f / (1.0f + exp(x * (2.0f / cap))), cap);
}
