// The law of sampling as a device reads it.
#pragma once

#include <cstdint>

#include "device/op_params.h"
#include "sampling/sampling_params.h"

namespace emberline {

inline SamplingBlock sampling_block(const SamplingParams& params) {
  return {.temperature = params.temperature,
          .top_p = params.top_p,
          .min_p = params.min_p,
          .repeat_penalty = params.repeat_penalty,
          .top_k = params.top_k,
          .penalty_window = params.penalty_window,
          .seed_low = static_cast<std::uint32_t>(params.seed),
          .seed_high = static_cast<std::uint32_t>(params.seed >> 32)};
}

}  // namespace emberline
