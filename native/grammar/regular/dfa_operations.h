// Operations on regular languages of text.
//
// Every automaton that is given or returned is trimmed and minimal; a label other than 0 means accepted, and
// only classify() gives labels other than 1. Results beyond the bounds are GRAMMAR_TOO_LARGE, never slow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "grammar/regular/dfa.h"

namespace emberline::grammar {

inline constexpr std::uint32_t kMostStates = 1u << 16;  // of one automaton
inline constexpr std::size_t kMostCells = 2u << 20;     // states * classes of one automaton

// The language of `text` alone, of less than kMostStates bytes.
Dfa literal(std::string_view text);
// Every valid UTF-8 text.
Dfa any_text();

Result<Dfa> intersection(const Dfa& a, const Dfa& b);
Result<Dfa> united(const Dfa& a, const Dfa& b);
// What is of `a` and not of `b`; difference(any_text(), b) is the complement.
Result<Dfa> difference(const Dfa& a, const Dfa& b);
Result<Dfa> any_of(std::span<const std::string> texts);

// How many texts there are: kNone where that is no number below it.
std::uint32_t text_count(const Dfa& dfa);

// Texts of `language` with between `least` and `most` characters, by a state a character: for small bounds.
// kNone for `most`: no upper bound.
Result<Dfa> with_length(const Dfa& language, std::uint32_t least, std::uint32_t most);

// Which of several languages a text is of: label n means exactly the languages sets[n - 1] (ascending
// indices). Texts of none are not accepted.
struct Classified {
  Dfa dfa;
  std::vector<std::vector<std::uint32_t>> sets;
};
Result<Classified> classify(std::span<const Dfa> languages);

}  // namespace emberline::grammar
