// How long the texts of a language are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grammar/regular/dfa.h"
#include "grammar/regular/dfa_rows.h"

namespace emberline::grammar {

// Characters of the texts of a language.
struct LengthRange {
  std::uint32_t least = 0;
  std::uint32_t most = 0;   // kNone: no end
  bool extendable = false;  // every text that is begun can be brought up to any number of characters
};

// Precondition: the texts of `dfa` are UTF-8.
LengthRange length_range(const Dfa& dfa);

// [states]: whether the state is between two characters. Precondition: the texts of `dfa` are UTF-8.
std::vector<std::uint8_t> between_characters(const Dfa& dfa);

// [states]: the fewest characters that begin on the way to the end of a text, and on a way of at least one
// byte; kNone where there is no such way.
struct CharactersToEnd {
  std::vector<std::uint32_t> least, least_behind;
};
// `between`: [states], as above or for texts that count otherwise. Texts end between characters.
CharactersToEnd characters_to_end(const Dfa& dfa, const Grouped& predecessors,
                                  std::span<const std::uint8_t> between);

}  // namespace emberline::grammar
