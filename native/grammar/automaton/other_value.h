// Whether a program can read a value besides some.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/automaton/state_space.h"
#include "grammar/automaton/value_cursor.h"

namespace emberline::grammar {

// A text leads from `first` to an end that is no spelling of a value of `alike`, whose cursors stand where
// `first` does. True as well where that is too much to find out, which is an error of the space.
bool other_value_exists(StateSpace& space, StateId first, std::vector<ValueCursor> alike);

// How many texts the rule at `value` has, at least; kUnbounded - 1: without end.
std::uint32_t count_texts(StateSpace& space, Pc value);

}  // namespace emberline::grammar
