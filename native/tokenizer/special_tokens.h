// Finding the tokens that are written out in a text by name, before it is cut into pieces.
#pragma once

#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace emberline {

struct SpecialTokenMatch {
  std::size_t position;  // text.size() when there is none
  std::size_t length;
  TokenId id;
};

class SpecialTokenFinder {
 public:
  // Of equal names the one with the lowest id counts; empty names are never found. Call seal() after the
  // last.
  void add(std::string_view name, TokenId id);
  void seal();

  // The leftmost match at or after `from`, and of those the longest. O((text.size() - from) * longest name)
  // at worst.
  SpecialTokenMatch find(std::string_view text, std::size_t from) const;

 private:
  struct Named {
    std::string name;
    TokenId id;
  };
  // The longest name that `text` starts with, or null.
  const Named* match(std::string_view text) const;

  std::vector<Named> names_;  // sorted by name once sealed
  std::bitset<256> first_bytes_;
};

}  // namespace emberline
