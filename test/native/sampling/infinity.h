#pragma once

#include <limits>

namespace emberline {

inline constexpr float kInf = std::numeric_limits<float>::infinity();

}  // namespace emberline
