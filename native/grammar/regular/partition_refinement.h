// Refinement of a partition of an automaton's states until equivalent states alone share a block.
//
// A. Valmari and P. Lehtinen, "Efficient minimization of DFAs with partial transition functions", STACS 2008:
// O(m log m) for m edges.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/regular/dfa.h"

namespace emberline::grammar {

// `block`: [states], a partition that is not finer than equivalence and tells labels apart; refined in place.
// Blocks are numbered from 0 on, without gaps.
void refine(const Dfa& dfa, std::vector<std::uint32_t>& block);

}  // namespace emberline::grammar
