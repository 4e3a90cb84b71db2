// How long the texts of a language are.
#pragma once

#include <cstdint>

#include "grammar/regular/dfa.h"

namespace emberline::grammar {

// Characters of the texts of a language.
struct LengthRange {
  std::uint32_t least = 0;
  std::uint32_t most = 0;   // kNone: no end
  bool extendable = false;  // every text that is begun can be brought up to any number of characters
};

// Precondition: the texts of `dfa` are UTF-8.
LengthRange length_range(const Dfa& dfa);

}  // namespace emberline::grammar
