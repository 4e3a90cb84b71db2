// Sets of tokens, and masks of what is allowed, as bits: token i is bit i mod 64 of word i / 64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tokenizer/tokenizer.h"

namespace emberline::grammar {

inline bool has_token(std::span<const std::uint64_t> set, TokenId id) {
  return (set[id >> 6] >> (id & 63) & 1) != 0;
}
inline void add_token(std::span<std::uint64_t> set, TokenId id) {
  set[id >> 6] |= std::uint64_t{1} << (id & 63);
}
// `more`: of as many words, or none.
inline void add_tokens(std::span<std::uint64_t> set, std::span<const std::uint64_t> more) {
  for (std::size_t word = 0; word < more.size(); ++word) set[word] |= more[word];
}
inline void remove_token(std::span<std::uint64_t> set, TokenId id) {
  set[id >> 6] &= ~(std::uint64_t{1} << (id & 63));
}

}  // namespace emberline::grammar
