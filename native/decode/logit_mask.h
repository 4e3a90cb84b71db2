// Applies a set of allowed tokens to logits.
#pragma once

#include <cstdint>
#include <span>

namespace emberline {

// Sets every logit to -inf whose bit is set in neither `allowed` nor, where it is not empty, `besides`.
// `logits`: [vocabulary]; `allowed`, `besides`: [(vocabulary + 63) / 64] bits, by token id.
void keep_allowed(std::span<const std::uint64_t> allowed, std::span<const std::uint64_t> besides,
                  std::span<float> logits);

}  // namespace emberline
