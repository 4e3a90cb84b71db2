// Regular expressions of a grammar as automata.
#pragma once

#include <cstddef>

#include "base/status.h"
#include "grammar/gbnf/syntax.h"
#include "grammar/regular/dfa.h"

namespace emberline::grammar::gbnf {

// The texts of `id`, whose rules are not recursive and whose tokens are none (Analysis::states()).
// `work_left`: as for determinised(). GRAMMAR_TOO_LARGE.
Result<Dfa> regular_part(const Syntax& syntax, NodeId id, std::size_t& work_left);

}  // namespace emberline::grammar::gbnf
