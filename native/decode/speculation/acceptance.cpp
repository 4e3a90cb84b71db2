#include "decode/speculation/acceptance.h"

#include <algorithm>
#include <cstddef>

namespace emberline {

namespace {

// `mass` of a token in `law`, as a probability.
double probability(const Distribution& law, std::uint64_t mass) {
  return static_cast<double>(mass) / static_cast<double>(law.total);
}

double probability_of(const Distribution& law, TokenId token) {
  const auto found = std::find(law.tokens.begin(), law.tokens.end(), token);
  if (found == law.tokens.end()) return 0;
  return probability(law, law.masses[static_cast<std::size_t>(found - law.tokens.begin())]);
}

}  // namespace

void Acceptance::reserve(std::uint32_t vocabulary) {
  draft_probability_.resize(vocabulary);
  cumulative_.reserve(vocabulary);
}

TokenId Acceptance::decide(const Distribution& target, const Distribution& draft, TokenId drafted,
                           double acceptance, double residual) {
  // u < p / q, without a division by a q of 0; a token that cannot follow is never kept.
  const bool kept = acceptance * probability_of(draft, drafted) < probability_of(target, drafted);
  return kept ? drafted : replacement(target, draft, residual);
}

TokenId Acceptance::replacement(const Distribution& target, const Distribution& draft, double uniform) {
  for (std::size_t i = 0; i < draft.tokens.size(); ++i) {
    const TokenId token = draft.tokens[i];
    if (token < draft_probability_.size()) draft_probability_[token] = probability(draft, draft.masses[i]);
  }
  double sum = 0;
  cumulative_.clear();
  for (std::size_t i = 0; i < target.tokens.size(); ++i) {
    const double excess = probability(target, target.masses[i]) - draft_probability_[target.tokens[i]];
    sum += std::max(excess, 0.0);
    cumulative_.push_back(sum);
  }
  for (const TokenId token : draft.tokens) {
    if (token < draft_probability_.size()) draft_probability_[token] = 0;
  }
  // Equal laws reject nothing but by rounding, and leave nothing to draw from.
  if (sum == 0) return draw_from(target, uniform);
  const auto drawn = std::upper_bound(cumulative_.begin(), cumulative_.end(), uniform * sum);
  // Rounding may lead behind the last: to the last that has a probability.
  const auto last = std::lower_bound(cumulative_.begin(), cumulative_.end(), sum);
  return target.tokens[static_cast<std::size_t>(std::min(drawn, last) - cumulative_.begin())];
}

}  // namespace emberline
