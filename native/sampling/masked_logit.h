// The logit of a token that may not come.
#pragma once

#include <limits>

namespace emberline {

inline constexpr float kMaskedLogit = -std::numeric_limits<float>::infinity();

}  // namespace emberline
