// Sets of tokens that decoding asks about at every step, made once per model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/device.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

class TokenSet {
 public:
  TokenSet() = default;  // of no tokens
  explicit TokenSet(std::uint32_t vocabulary) : bits_((static_cast<std::size_t>(vocabulary) + 63) / 64, 0) {}

  void insert(TokenId token) { bits_[token / 64] |= std::uint64_t{1} << (token % 64); }
  bool contains(TokenId token) const { return stop_set().contains(token); }
  StopSet stop_set() const { return {bits_}; }

 private:
  std::vector<std::uint64_t> bits_;
};

struct TokenSets {
  TokenSet
      ends;  // end-of-generation tokens, and those that stand for no text: control, unused, beyond the list
  TokenSet ends_or_breaks;  // and every token whose bytes hold a line break
  std::vector<TokenId>
      blank_start_bans;               // ends, and tokens with a line break before anything visible; ascending
  std::vector<TokenId> blank_starts;  // other tokens that begin with a blank; ascending
  std::size_t longest_token = 0;      // bytes

  // `vocabulary`: of the model's logits; may be larger than the tokenizer's.
  static TokenSets build(const Tokenizer& tokenizer, std::uint32_t vocabulary);
};

}  // namespace emberline
