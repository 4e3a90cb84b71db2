#include "decode/host_choice.h"

#include <algorithm>
#include <cmath>

#include "base/try.h"
#include "decode/healing.h"
#include "device/checks/replay_limits.h"
#include "sampling/masked_logit.h"
#include "sampling/random.h"

namespace emberline {

void HostChoice::reserve(std::uint32_t vocabulary) {
  logits_.resize(vocabulary);
  masked_.resize(vocabulary);
  allowed_.reserve(vocabulary);
  banned_ends_.reserve(sets_.blank_start_bans.size());
  banned_blanks_.reserve(sets_.blank_starts.size());
  sampler_.reserve(vocabulary);
}

double HostChoice::log_total() const {
  const auto largest = static_cast<TokenId>(std::ranges::max_element(logits_) - logits_.begin());
  return double{logits_[largest]} - sampler_.log_probability(logits_, largest);
}

double HostChoice::spelling_mass(std::string_view remaining, bool ban_blank_start) {
  tokens_that_spell(tokenizer_, sets_, remaining, ban_blank_start, allowed_);
  const double total = log_total();
  double sum = 0;
  for (const TokenId token : allowed_) sum += std::exp(double{logits_[token]} - total);
  return sum;
}

Result<std::span<const float>> HostChoice::masked(const ChoiceRule& rule) {
  banned_ends_.clear();
  banned_blanks_.clear();
  barred_.clear();
  if (!rule.remaining_prefix.empty()) {
    tokens_that_spell(tokenizer_, sets_, rule.remaining_prefix, rule.ban_blank_start, allowed_);
    std::fill(masked_.begin(), masked_.end(), kMaskedLogit);
    for (const TokenId token : allowed_) masked_[token] = logits_[token];
  } else if (rule.ban_blank_start || rule.constraint != nullptr || !rule.barred.empty()) {
    std::copy(logits_.begin(), logits_.end(), masked_.begin());
  } else {
    return std::span<const float>(logits_);
  }
  if (rule.constraint != nullptr) {
    TRY(rule.constraint->mask(masked_));
  }
  if (rule.ban_blank_start && rule.remaining_prefix.empty()) {
    ban(sets_.blank_start_bans, banned_ends_);
    if (rule.blank_complete) ban(sets_.blank_starts, banned_blanks_);
  }
  // What has to come may be blank: a document goes on with a line break, say.
  if (rule.constraint != nullptr && rule.ban_blank_start &&
      std::all_of(masked_.begin(), masked_.end(), [](float logit) { return logit == kMaskedLogit; })) {
    ChoiceRule without_ban = rule;
    without_ban.ban_blank_start = false;
    return masked(without_ban);
  }
  ban(rule.barred, barred_);
  return std::span<const float>(masked_);
}

void HostChoice::ban(std::span<const TokenId> tokens, std::vector<float>& banned) {
  for (const TokenId token : tokens) {
    if (masked_[token] != kMaskedLogit) banned.push_back(masked_[token]);
    masked_[token] = kMaskedLogit;
  }
}

Result<ChosenToken> HostChoice::choose(const ChoiceRule& rule, std::span<const TokenId> history,
                                       const SamplingParams& sampling) {
  TRY_VALUE(const std::span<const float> candidates, masked(rule));
  TRY_VALUE(const Draw draw, sampler_.sample(candidates, history, sampling, history.size()));
  const TokenId token = draw.token;
  const bool unmasked = candidates.data() == logits_.data();
  // The mask may have hidden the logit that is not a number.
  if (!std::isfinite(unmasked ? draw.log_prob : sampler_.log_probability(logits_, token)))
    return logits_not_finite();
  // The ban is no reason to be sure of what is left: as probabilities of all that the rest of the rule
  // allows.
  const double log_normalizer = double{logits_[token]} - draw.log_prob;
  const auto mass = [log_normalizer](const std::vector<float>& banned) {
    double sum = 0;
    for (const float logit : banned) sum += std::exp(logit - log_normalizer);
    return sum;
  };
  const double ends = mass(banned_ends_), barred = mass(barred_);
  const double all = 1 + ends + mass(banned_blanks_) + barred;
  return ChosenToken{token, static_cast<float>(draw.log_prob - std::log(all)), static_cast<float>(ends / all),
                     static_cast<float>(barred / all)};
}

Result<ChosenToken> HostChoice::decide(const ChoiceRule& rule, std::span<const TokenId> history,
                                       const SamplingParams& sampling, const Distribution& draft,
                                       TokenId drafted) {
  TRY_VALUE(const std::span<const float> candidates, masked(rule));
  TRY(sampler_.distribution(candidates, history, sampling, target_));
  // Only where tokens are drafted by chance: most sessions never need it.
  acceptance_.reserve(static_cast<std::uint32_t>(logits_.size()));
  const auto uniform = [&](RandomStream stream) {
    return random_uniform(sampling.seed, history.size(), stream);
  };
  const TokenId token = acceptance_.decide(target_, draft, drafted, uniform(RandomStream::kAccept),
                                           uniform(RandomStream::kResidual));
  const float raw = sampler_.log_probability(logits_, token);
  if (!std::isfinite(raw)) return logits_not_finite();
  const bool unmasked = candidates.data() == logits_.data();
  return ChosenToken{token, unmasked ? raw : sampler_.log_probability(candidates, token)};
}

}  // namespace emberline
