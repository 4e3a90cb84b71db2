// Logits with what a first pass over them finds: the largest, and that of every block.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "sampling/kernels/select_sampling_kernels.h"

namespace emberline {

struct ScannedLogits {
  std::span<const float> values;  // finite, or -inf where masked; one at least is not
  const float* block_largest;     // [blocks of values]
  float largest;
  std::uint32_t best;              // the lowest id that has it
  const SamplingKernels* kernels;  // that found this, and look for the rest
};

// How many largest logits of blocks there are.
constexpr std::size_t logit_blocks(std::size_t vocabulary) {
  return (vocabulary + kLogitBlock - 1) / kLogitBlock;
}

// `logits` has one at least; `block_largest`: room for logit_blocks() of them. Both have to outlive the
// result. LOGITS_NOT_FINITE for a NaN or +inf among them, ALL_TOKENS_MASKED when every one is -inf.
Result<ScannedLogits> scan_logits(std::span<const float> logits, float* block_largest,
                                  const SamplingKernels& kernels = best_sampling_kernels());

}  // namespace emberline
