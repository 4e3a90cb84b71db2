#include "tokenizer/tokens_by_bytes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

namespace emberline {
namespace {

// The first 8 bytes as one number that orders as they do; shorter strings are filled with zeros.
std::uint64_t leading_bytes(std::string_view bytes) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    key = key << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u);
  }
  return key;
}

}  // namespace

TokensByBytes::TokensByBytes(const Vocabulary& vocabulary) : vocabulary_(&vocabulary) {
  struct Entry {
    std::uint64_t leading;
    TokenId id;
  };
  std::vector<Entry> entries;
  entries.reserve(vocabulary.size());
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const TokenKind kind = vocabulary.kind(id);
    const bool text = kind == TokenKind::kNormal || kind == TokenKind::kUserDefined;
    if (text && !vocabulary.bytes(id).empty()) entries.push_back({leading_bytes(vocabulary.bytes(id)), id});
  }
  // By the leading bytes, a digit of 11 bits at a time, the last first (LSD radix sort: Knuth, TAOCP 3,
  // 5.2.5), each round keeping the order of the one before; entries begin in the order of their ids.
  constexpr unsigned kDigitBits = 11;
  constexpr std::size_t kDigits = (64 + kDigitBits - 1) / kDigitBits;
  constexpr std::size_t kRadix = std::size_t{1} << kDigitBits;
  const auto digit = [](const Entry& entry, std::size_t i) {
    return static_cast<std::size_t>(entry.leading >> (i * kDigitBits)) % kRadix;
  };
  std::vector<std::array<std::uint32_t, kRadix>> starts(kDigits);  // first the counts
  for (const Entry& entry : entries) {
    for (std::size_t i = 0; i < kDigits; ++i) ++starts[i][digit(entry, i)];
  }
  std::vector<Entry> sorted(entries.size());
  for (std::size_t i = 0; i < kDigits; ++i) {
    std::exclusive_scan(starts[i].begin(), starts[i].end(), starts[i].begin(), 0u);
    for (const Entry& entry : entries) sorted[starts[i][digit(entry, i)]++] = entry;
    entries.swap(sorted);
  }
  // What the leading bytes do not tell apart.
  for (auto first = entries.begin(); first != entries.end();) {
    const auto last = std::find_if(first, entries.end(),
                                   [&](const Entry& entry) { return entry.leading != first->leading; });
    std::sort(first, last, [&](const Entry& a, const Entry& b) {
      const int order = vocabulary.bytes(a.id).compare(vocabulary.bytes(b.id));
      if (order != 0) return order < 0;
      const bool fallback = vocabulary.is_byte_fallback(a.id);
      return fallback != vocabulary.is_byte_fallback(b.id) ? !fallback : a.id < b.id;
    });
    first = last;
  }
  sorted_.reserve(entries.size());
  for (const Entry& entry : entries) sorted_.push_back(entry.id);
}

std::span<const TokenId> TokensByBytes::starting_with(std::string_view prefix) const {
  const auto head = [&](TokenId id) { return vocabulary_->bytes(id).substr(0, prefix.size()); };
  const auto first = std::lower_bound(sorted_.begin(), sorted_.end(), prefix,
                                      [&](TokenId id, std::string_view wanted) { return head(id) < wanted; });
  const auto last = std::upper_bound(first, sorted_.end(), prefix,
                                     [&](std::string_view wanted, TokenId id) { return wanted < head(id); });
  return {first, last};
}

TokenId TokensByBytes::find(std::string_view wanted) const {
  if (wanted.empty()) return kNoToken;
  const std::span<const TokenId> range = starting_with(wanted);
  // Of all strings that start with `wanted`, `wanted` itself sorts first.
  return !range.empty() && vocabulary_->bytes(range.front()) == wanted ? range.front() : kNoToken;
}

}  // namespace emberline
