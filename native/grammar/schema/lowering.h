// From sets to a program.
//
// Every set that can be reached becomes a rule, with its shapes as alternatives. Sets without values are
// found first (a least fixpoint, as sets refer to one another in circles); keys and items that could only be
// of those are left out, so that the program leads into no dead ends.
#pragma once

#include "base/status.h"
#include "grammar/program.h"
#include "grammar/schema/set_space.h"

namespace emberline::grammar {

// GRAMMAR_UNSUPPORTED where a set cannot be written as a program, by the name of what is in the way. Where
// nothing conforms, a program that accepts nothing.
Result<Program> lowered(SetSpace& space, SetId root, Layout layout);

}  // namespace emberline::grammar
