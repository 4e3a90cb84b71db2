// Sets of tokens, and masks of what is allowed, as bits: token i is bit i mod 64 of word i / 64.
#pragma once

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
inline void remove_token(std::span<std::uint64_t> set, TokenId id) {
  set[id >> 6] &= ~(std::uint64_t{1} << (id & 63));
}

}  // namespace emberline::grammar
