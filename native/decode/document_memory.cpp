#include "decode/document_memory.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emberline {

namespace {

// What stands so far before the end of a sequence is not compared.
constexpr std::size_t kMostCompared = 64;

// A weight's logit, fitted by `npm run bench -- memory` to what authors wrote.
struct Fit {
  double one, length, agreement, occurrences, doubt;
};
constexpr Fit kDocumentFit{-5.67, 0.39, 3.03, 0.27, 0.52};
constexpr Fit kOthersFit{-6.50, 0.71, 3.17, 0.35, 0.47};
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

double DocumentMemory::weight(Kind kind, const Evidence& evidence) {
  const Fit& fit = kind == Kind::kDocument ? kDocumentFit : kOthersFit;
  // Rounded, a probability may be a little more than 1.
  const double surest = std::clamp(evidence.surest, 0.0, 1.0);
  const double doubt = std::log((1 - surest + 1e-9) / (surest + 1e-9));
  const double logit = fit.one + fit.length * std::log2(evidence.length) +
                       fit.agreement * evidence.agreement +
                       fit.occurrences * std::log2(evidence.occurrences) +
                       fit.doubt * std::clamp(doubt, -kMostDoubt, kMostDoubt);
  return 1 / (1 + std::exp(-logit));
}

std::uint32_t DocumentMemory::Store::match_length() const {
  std::uint32_t longest = 0;
  for (const Text& text : texts) longest = std::max(longest, text.cursor.match().length);
  return longest;
}

void DocumentMemory::begin(std::span<const ReferenceText> document, std::span<const ReferenceText> others) {
  for (Store& store : stores_) {
    store.texts.clear();
    for (const ReferenceText& text : store.kind == Kind::kDocument ? document : others) {
      store.texts.push_back({text, SuffixAutomaton::Cursor(*text)});
    }
  }
  followed_ = 0;
}

std::uint32_t DocumentMemory::match_length(std::span<const TokenId> sequence) {
  if (followed_ == 0 && sequence.size() > kMostCompared) followed_ = sequence.size() - kMostCompared;
  std::uint32_t longest = 0;
  for (Store& store : stores_) {
    for (Text& text : store.texts) {
      for (std::size_t at = followed_; at < sequence.size(); ++at) text.cursor.advance(sequence[at]);
    }
    longest = std::max(longest, store.match_length());
  }
  followed_ = sequence.size();
  return longest;
}

std::size_t DocumentMemory::silent_tokens(std::span<const TokenId> sequence) {
  const auto is_empty = [](const Store& store) { return store.texts.empty(); };
  if (std::ranges::all_of(stores_, is_empty)) return std::numeric_limits<std::size_t>::max();
  const std::uint32_t length = match_length(sequence);
  return length < kLeastMatch ? kLeastMatch - length : 0;
}

void DocumentMemory::mix(std::span<const TokenId> sequence, std::span<float> logits, double log_total) {
  const std::uint32_t length = match_length(sequence);
  // Logits that are not finite are found by who draws from them.
  if (length < kLeastMatch || !std::isfinite(log_total)) return;
  const double surest = std::exp(*std::ranges::max_element(logits) - log_total);
  for (const Store& store : stores_) log_total = mix_store(store, logits, log_total, surest);
}

double DocumentMemory::mix_store(const Store& store, std::span<float> logits, double log_total,
                                 double surest) {
  const std::uint32_t length = store.match_length();
  if (length < kLeastMatch) return log_total;
  continuations_.clear();
  for (const Text& text : store.texts) {
    if (text.cursor.match().length == length) text.cursor.continuations(continuations_);
  }
  if (continuations_.empty()) return log_total;
  merge(continuations_);
  double occurrences = 0, most = 0;
  for (const auto& [token, count] : continuations_) {
    occurrences += count;
    most = std::max<double>(most, count);
  }
  const double mixed = weight(
      store.kind,
      {.length = length, .occurrences = occurrences, .agreement = most / occurrences, .surest = surest});
  for (const auto& [token, count] : continuations_) {
    // p / (1 - w) = p_before + w / (1 - w) p_store
    const double share = mixed / (1 - mixed) * count / occurrences;
    const double added = log_total + std::log(share);
    const double high = std::max<double>(logits[token], added), low = std::min<double>(logits[token], added);
    logits[token] = static_cast<float>(high + std::log1p(std::exp(low - high)));
  }
  return log_total - std::log1p(-mixed);
}

}  // namespace emberline
