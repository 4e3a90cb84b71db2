// The automaton of an object's keys.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "grammar/regular/dfa.h"

namespace emberline::grammar {

struct LabelledKey {
  std::string text;         // JSON text, quotes included
  std::uint32_t label = 0;  // 0: forbidden
};

// The texts of `keys`, each with its label, and those of `others` (JSON texts with quotes, trimmed, with
// labels of their own) that are none of `keys`. Keys are different from one another. Trimmed, but not
// minimal.
Dfa key_table(std::span<const LabelledKey> keys, const Dfa& others);

}  // namespace emberline::grammar
