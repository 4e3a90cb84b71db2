// The one smallest automaton of a language.
#pragma once

#include "grammar/regular/dfa.h"

namespace emberline::grammar {

// Without states that are not reached or lead nowhere, without two states or two byte classes that do the
// same, numbered breadth first in byte order, classes in the order of their first bytes: languages are equal
// where their automata are, member for member.
Dfa minimised(Dfa dfa);

// Only takes away the edges to states that lead nowhere; without states where the start is one.
Dfa trimmed(Dfa dfa);

// Only renumbers and merges byte classes, for what is trimmed and minimal by construction.
Dfa renumbered(const Dfa& dfa);

}  // namespace emberline::grammar
