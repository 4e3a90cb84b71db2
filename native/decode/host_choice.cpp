#include "decode/host_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "decode/healing.h"

namespace emberline {

namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

}  // namespace

Status HostChoice::reserve(std::uint32_t vocabulary) {
  try {
    logits_.resize(vocabulary);
    masked_.resize(vocabulary);
    allowed_.reserve(vocabulary);
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kOutOfMemory, "There is not enough memory for a session; close other programs.");
  }
  return sampler_.reserve(vocabulary);
}

std::span<const float> HostChoice::masked(const ChoiceRule& rule) {
  if (!rule.remaining_prefix.empty()) {
    tokens_that_spell(tokenizer_, sets_, rule.remaining_prefix, rule.ban_blank_start, allowed_);
    std::fill(masked_.begin(), masked_.end(), kMasked);
    for (const TokenId token : allowed_) masked_[token] = logits_[token];
    return masked_;
  }
  if (rule.ban_blank_start) {
    std::copy(logits_.begin(), logits_.end(), masked_.begin());
    for (const TokenId token : sets_.blank_start_bans) masked_[token] = kMasked;
    if (rule.blank_complete) {
      for (const TokenId token : sets_.blank_starts) masked_[token] = kMasked;
    }
    return masked_;
  }
  return logits_;
}

float HostChoice::banned_probability(const ChosenToken& chosen) const {
  const float log_normalizer = logits_[chosen.token] - chosen.log_prob;
  double sum = 0;
  for (const TokenId token : sets_.blank_start_bans) sum += std::exp(logits_[token] - log_normalizer);
  return static_cast<float>(std::min(sum, 1.0));
}

Result<ChosenToken> HostChoice::choose(const ChoiceRule& rule, std::span<const TokenId> history,
                                       const SamplingParams& sampling) {
  const std::span<const float> candidates = masked(rule);
  const Result<Draw> draw = sampler_.sample(candidates, history, sampling, history.size());
  if (!draw.ok()) return draw.error();
  const bool unmasked = candidates.data() == logits_.data();
  const float raw_log_prob = unmasked ? draw.value().log_prob : log_probability(logits_, draw.value().token);
  // The mask may have hidden the logit that is not a number.
  if (!std::isfinite(raw_log_prob)) {
    return Status(ErrorCode::kLogitsNotFinite,
                  "The model produced logits that are not finite; the model file may be damaged.");
  }
  const bool spelling = !rule.remaining_prefix.empty();
  ChosenToken chosen{draw.value().token, spelling ? draw.value().log_prob : raw_log_prob};
  if (rule.ban_blank_start && !spelling) chosen.banned_prob = banned_probability(chosen);
  return chosen;
}

}  // namespace emberline
