// From GBNF's rules to a program.
//
// The largest regular parts of expressions, with the rules that they name and that are not recursive, become
// one automaton each; calls, loops and counters are left for what is not regular, or too large for an
// automaton. A rule in the last place is jumped to, not called, so that right recursion needs no stack.
#pragma once

#include "base/status.h"
#include "grammar/gbnf/syntax.h"
#include "grammar/program.h"

namespace emberline::grammar::gbnf {

// GRAMMAR_INVALID where no finite text is derived from `root`, GRAMMAR_TOO_LARGE.
Result<Program> lowered(Syntax syntax);

}  // namespace emberline::grammar::gbnf
