// A token with its logit as one integer, whose ascending order is the order of the sampling law: logit
// descending, id ascending.
#pragma once

#include <cstdint>

#include "sampling/softmax_mass.h"

namespace emberline {

// ~logit_key(logit) above, the id below.
inline std::uint64_t rank_key(float logit, std::uint32_t token) {
  return (static_cast<std::uint64_t>(~logit_key(logit)) << 32) | token;
}

inline std::uint32_t token_of(std::uint64_t rank_key) {
  return static_cast<std::uint32_t>(rank_key);
}

// 0 for a logit of -0.
inline float logit_of(std::uint64_t rank_key) {
  return key_logit(~static_cast<std::uint32_t>(rank_key >> 32));
}

}  // namespace emberline
