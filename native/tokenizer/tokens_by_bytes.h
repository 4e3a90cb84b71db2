// The tokens of a vocabulary in the order of their bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary.h"

namespace emberline {

// Immutable once made.
class TokensByBytes {
 public:
  // `vocabulary` must outlive this.
  explicit TokensByBytes(const Vocabulary& vocabulary);

  // Normal and user-defined tokens of at least one byte, ordered by their bytes (as unsigned numbers), then
  // by id, byte fallbacks last.
  std::span<const TokenId> all() const { return sorted_; }
  // Those whose bytes begin with `prefix`: a part of all(). O(log V).
  std::span<const TokenId> starting_with(std::string_view prefix) const;
  // The first of all() with exactly these bytes, or kNoToken.
  TokenId find(std::string_view bytes) const;

 private:
  const Vocabulary* vocabulary_;
  std::vector<TokenId> sorted_;
};

}  // namespace emberline
