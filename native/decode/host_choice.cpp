#include "decode/host_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "decode/healing.h"

namespace emberline {

namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

Status not_finite() {
  return {ErrorCode::kLogitsNotFinite,
          "The model produced logits that are not finite; the model file may be damaged."};
}

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

Result<std::span<const float>> HostChoice::masked(const ChoiceRule& rule) {
  if (!rule.remaining_prefix.empty()) {
    tokens_that_spell(tokenizer_, sets_, rule.remaining_prefix, rule.ban_blank_start, allowed_);
    std::fill(masked_.begin(), masked_.end(), kMasked);
    for (const TokenId token : allowed_) masked_[token] = logits_[token];
  } else if (rule.ban_blank_start) {
    std::copy(logits_.begin(), logits_.end(), masked_.begin());
    for (const TokenId token : sets_.blank_start_bans) masked_[token] = kMasked;
    if (rule.blank_complete) {
      for (const TokenId token : sets_.blank_starts) masked_[token] = kMasked;
    }
  } else if (rule.constraint != nullptr) {
    std::copy(logits_.begin(), logits_.end(), masked_.begin());
  } else {
    return std::span<const float>(logits_);
  }
  if (rule.constraint != nullptr) {
    const Status status = rule.constraint->mask(masked_);
    if (!status.ok()) return status;
    // What has to come may be blank: a document goes on with a line break, say.
    const bool nothing =
        std::all_of(masked_.begin(), masked_.end(), [](float logit) { return logit == kMasked; });
    if (nothing && rule.ban_blank_start) {
      ChoiceRule without_ban = rule;
      without_ban.ban_blank_start = false;
      return masked(without_ban);
    }
  }
  return std::span<const float>(masked_);
}

float HostChoice::banned_probability(const ChosenToken& chosen) const {
  const float log_normalizer = logits_[chosen.token] - chosen.log_prob;
  double sum = 0;
  for (const TokenId token : sets_.blank_start_bans) sum += std::exp(logits_[token] - log_normalizer);
  return static_cast<float>(std::min(sum, 1.0));
}

Result<ChosenToken> HostChoice::choose(const ChoiceRule& rule, std::span<const TokenId> history,
                                       const SamplingParams& sampling) {
  const Result<std::span<const float>> candidates = masked(rule);
  if (!candidates.ok()) return candidates.error();
  const Result<Draw> draw = sampler_.sample(candidates.value(), history, sampling, history.size());
  if (!draw.ok()) return draw.error();
  const bool unmasked = candidates.value().data() == logits_.data();
  const float raw_log_prob = unmasked ? draw.value().log_prob : log_probability(logits_, draw.value().token);
  // The mask may have hidden the logit that is not a number.
  if (!std::isfinite(raw_log_prob)) return not_finite();
  const bool spelling = !rule.remaining_prefix.empty();
  ChosenToken chosen{draw.value().token, spelling ? draw.value().log_prob : raw_log_prob};
  if (rule.ban_blank_start && !spelling) chosen.banned_prob = banned_probability(chosen);
  return chosen;
}

Result<ChosenToken> HostChoice::decide(const ChoiceRule& rule, std::span<const TokenId> history,
                                       const SamplingParams& sampling, const Distribution& draft,
                                       TokenId drafted) {
  const Result<std::span<const float>> candidates = masked(rule);
  if (!candidates.ok()) return candidates.error();
  const Status status = sampler_.distribution(candidates.value(), history, sampling, target_);
  if (!status.ok()) return status;
  // Only where tokens are drafted by chance: most sessions never need it.
  const Status reserved = acceptance_.reserve(static_cast<std::uint32_t>(logits_.size()));
  if (!reserved.ok()) return reserved;
  SeededUniforms uniforms(sampling.seed);
  const Verdict verdict = acceptance_.decide(target_, &draft, drafted, history.size(), uniforms);
  const float log_prob = log_probability(logits_, verdict.token);
  if (!std::isfinite(log_prob)) return not_finite();
  return ChosenToken{verdict.token, log_prob};
}

}  // namespace emberline
