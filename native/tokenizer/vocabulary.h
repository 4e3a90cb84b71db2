// The tokens themselves: their bytes, their kinds, and the ways to find them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary_spec.h"

namespace emberline {

// Immutable once made.
class Vocabulary {
 public:
  // MODEL_METADATA_INVALID where the tokens cannot be a vocabulary.
  static Result<Vocabulary> make(const VocabularySpec& spec);

  std::uint32_t size() const { return static_cast<std::uint32_t>(kinds_.size()); }
  // Precondition for both: id < size().
  std::string_view bytes(TokenId id) const {
    return std::string_view(arena_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }
  TokenKind kind(TokenId id) const { return kinds_[id]; }

  // The normal token with exactly these bytes, the lowest id of several; kNoToken if there is none.
  // O(length).
  TokenId find_normal(std::string_view bytes) const;

  // Normal and user-defined tokens of at least one byte, ordered by their bytes (as unsigned numbers), then
  // by id.
  std::span<const TokenId> sorted_by_bytes() const { return sorted_; }
  std::span<const TokenId> starting_with(std::string_view prefix) const;
  // The first of sorted_by_bytes() with exactly these bytes, or kNoToken.
  TokenId find_by_bytes(std::string_view bytes) const;

 private:
  Vocabulary() = default;
  void index_normal_tokens();
  void sort_by_bytes();

  std::string arena_;                   // the bytes of all tokens, in the order of their ids
  std::vector<std::uint32_t> offsets_;  // [size + 1] into arena_
  std::vector<TokenKind> kinds_;        // [size]
  std::vector<TokenId> sorted_;
  std::vector<TokenId> normal_by_hash_;  // open addressing, a power of two at least twice as large as needed
};

}  // namespace emberline
