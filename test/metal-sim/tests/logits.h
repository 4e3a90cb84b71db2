// Logits for tests of the kernels that read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace emberline::metal_sim {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Normally distributed about zero.
inline std::vector<float> random_logits(std::size_t count, std::uint64_t seed, float deviation = 3.0f) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> logits(count);
  for (float& logit : logits) logit = normal(random);
  return logits;
}

}  // namespace emberline::metal_sim
