// Refinement of a partition of an automaton's states by comparing the states' rows of edges.
//
// Only states that lead into a block that was split are looked at again, and of what a block is split into
// the largest part keeps its name (S. Blom and S. Orzan, "A distributed algorithm for strong bisimulation
// reduction of state spaces", STTT 2005, with the smaller-part rule of Hopcroft). Most automata take few
// looks at a state; partition_refinement.h has the bound for those that take many.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/regular/dfa_rows.h"

namespace emberline::grammar {

// `block`: [states], a partition that is not finer than equivalence and tells labels apart, numbered from 0
// on without gaps; refined in place. `first`: the blocks below it are not split. False where it would take
// too long; `block` then is refined in part.
bool refine_by_rows(const DfaRows& rows, const Predecessors& predecessors, std::vector<std::uint32_t>& block,
                    std::uint32_t first);

}  // namespace emberline::grammar
