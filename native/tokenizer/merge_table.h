// The merges of a byte pair encoding, found by the two tokens they join.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary.h"

namespace emberline {

struct Merge {
  TokenId left = kNoToken;
  TokenId right = kNoToken;
  std::uint32_t rank = 0;  // the most important merge has the lowest
  TokenId product = kNoToken;
};

// Immutable once made.
class MergeTable {
 public:
  // `merges`: "left right" in GPT-2's byte alphabet, most important first. One whose parts or product are no
  // normal tokens can never apply and is left out; of two that join the same tokens the first counts.
  // MODEL_METADATA_INVALID where a merge is not two strings parted by a space.
  static Result<MergeTable> make(const Vocabulary& vocabulary, std::span<const std::string_view> merges);

  // Null where these two do not merge.
  const Merge* find(TokenId left, TokenId right) const;

 private:
  static constexpr std::uint32_t kFree = 0xFFFFFFFFu;

  MergeTable() = default;
  void add(std::span<const Merge> merges);

  std::vector<Merge> merges_;
  // Open addressing by (left, right): positions in merges_, kFree where there is none. A power of two at
  // least twice as large as needed; kept apart from the merges so that it stays in a cache.
  std::vector<std::uint32_t> slots_;
};

}  // namespace emberline
