#include "decode/document_memory.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emberline {

namespace {

// What stands so far before the end of a sequence is not compared.
constexpr std::size_t kMostCompared = 64;

// The weight's logit, fitted by `npm run bench -- memory` to what authors wrote.
constexpr double kOne = -6.13, kLength = 0.51, kAgreement = 3.01, kOccurrences = 0.49, kDoubt = 0.63;
constexpr double kMostDoubt = 8;

// Adds up the counts of equal tokens.
void merge(std::vector<SuffixAutomaton::Continuation>& all) {
  std::ranges::sort(all, {}, &SuffixAutomaton::Continuation::token);
  std::size_t kept = 0;
  for (std::size_t at = 1; at < all.size(); ++at) {
    if (all[at].token == all[kept].token) {
      all[kept].count += all[at].count;
    } else {
      all[++kept] = all[at];
    }
  }
  all.resize(kept + 1);
}

}  // namespace

double DocumentMemory::weight(const Evidence& evidence) {
  // Rounded, a probability may be a little more than 1.
  const double surest = std::clamp(evidence.surest, 0.0, 1.0);
  const double doubt = std::log((1 - surest + 1e-9) / (surest + 1e-9));
  const double logit = kOne + kLength * std::log2(evidence.length) + kAgreement * evidence.agreement +
                       kOccurrences * std::log2(evidence.occurrences) +
                       kDoubt * std::clamp(doubt, -kMostDoubt, kMostDoubt);
  return 1 / (1 + std::exp(-logit));
}

void DocumentMemory::begin(std::span<const ReferenceText> texts) {
  texts_.clear();
  for (const ReferenceText& text : texts) texts_.push_back({text, SuffixAutomaton::Cursor(*text)});
  followed_ = 0;
}

std::uint32_t DocumentMemory::match_length(std::span<const TokenId> sequence) {
  if (followed_ == 0 && sequence.size() > kMostCompared) followed_ = sequence.size() - kMostCompared;
  std::uint32_t longest = 0;
  for (Text& text : texts_) {
    for (std::size_t at = followed_; at < sequence.size(); ++at) text.cursor.advance(sequence[at]);
    longest = std::max(longest, text.cursor.match().length);
  }
  followed_ = sequence.size();
  return longest;
}

std::size_t DocumentMemory::silent_tokens(std::span<const TokenId> sequence) {
  if (texts_.empty()) return std::numeric_limits<std::size_t>::max();
  const std::uint32_t length = match_length(sequence);
  return length < kLeastMatch ? kLeastMatch - length : 0;
}

void DocumentMemory::mix(std::span<const TokenId> sequence, std::span<float> logits, double log_total) {
  const std::uint32_t length = match_length(sequence);
  // Logits that are not finite are found by who draws from them.
  if (length < kLeastMatch || !std::isfinite(log_total)) return;
  continuations_.clear();
  for (const Text& text : texts_) {
    if (text.cursor.match().length == length) text.cursor.continuations(continuations_);
  }
  if (continuations_.empty()) return;
  merge(continuations_);
  double occurrences = 0, most = 0;
  for (const auto& [token, count] : continuations_) {
    occurrences += count;
    most = std::max<double>(most, count);
  }
  const double largest = *std::ranges::max_element(logits);
  const double mixed = weight({.length = length,
                               .occurrences = occurrences,
                               .agreement = most / occurrences,
                               .surest = std::exp(largest - log_total)});
  for (const auto& [token, count] : continuations_) {
    // p / (1 - w) = p_model + w / (1 - w) p_mem
    const double share = mixed / (1 - mixed) * count / occurrences;
    const double added = log_total + std::log(share);
    const double high = std::max<double>(logits[token], added), low = std::min<double>(logits[token], added);
    logits[token] = static_cast<float>(high + std::log1p(std::exp(low - high)));
  }
}

}  // namespace emberline
