#include "model/rope_scaling.h"

#include <algorithm>
#include <cmath>

namespace emberline {

namespace {

// Of pair `pair`, in double precision as the angles themselves.
double yarn_factor(const RopeScaling& scaling, std::uint32_t pair, std::uint32_t rotary_width, double theta) {
  // The pair that makes so many turns in the first length: they lie at theta^(-2 pair / rotary_width) radians
  // a token.
  const auto pair_of = [&](double turns) {
    constexpr double kTurn = 6.283185307179586;
    return rotary_width * std::log(scaling.original_context / (turns * kTurn)) / (2 * std::log(theta));
  };
  // Whole pairs, as models were taught with.
  const double last = rotary_width - 1.0;
  const double low = std::max(0.0, std::floor(pair_of(scaling.fast_turns)));
  const double high = std::min(last, std::ceil(pair_of(scaling.slow_turns)));
  const double scaled = std::clamp((pair - low) / std::max(0.001, high - low), 0.0, 1.0);
  return 1.0 / (scaled / scaling.factor + (1.0 - scaled));
}

}  // namespace

std::vector<float> rope_factors(const RopeScaling& scaling, std::span<const float> given,
                                std::uint32_t rotary_width, float theta) {
  std::vector<float> factors(given.begin(), given.end());
  if (scaling.kind == RopeScalingKind::kNone || scaling.kind == RopeScalingKind::kLongRope) return factors;
  factors.resize(rotary_width / 2, 1.0f);
  for (std::uint32_t pair = 0; pair < factors.size(); ++pair) {
    const double factor = scaling.kind == RopeScalingKind::kLinear
                              ? double{scaling.factor}
                              : yarn_factor(scaling, pair, rotary_width, theta);
    factors[pair] = static_cast<float>(factors[pair] * factor);
  }
  return factors;
}

double long_rope_attention_factor(std::uint32_t context, std::uint32_t original_context) {
  if (context <= original_context) return 1.0;
  const double original = original_context;
  return std::sqrt(1.0 + std::log(context / original) / std::log(original));
}

float rope_attention_factor(const RopeScaling& scaling) {
  double both = 1.0;
  if (scaling.kind == RopeScalingKind::kLongRope) both = scaling.attention_factor;
  if (scaling.kind == RopeScalingKind::kYarn)
    both = scaling.attention_factor * (1.0 + 0.1 * std::log(double{scaling.factor}));
  return static_cast<float>(both * both);  // of the queries and of the keys
}

}  // namespace emberline
