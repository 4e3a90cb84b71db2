// Refinement of a partition of an automaton's states until equivalent states alone share a block.
//
// States are told apart by their rows of edges. Only those that lead into a block that was split are looked
// at again, and the larger part of a block that is split keeps its name (S. Blom and S. Orzan, "A distributed
// algorithm for strong bisimulation reduction of state spaces", STTT 2005, with the smaller-part rule of
// Hopcroft). Most automata take few looks at a state; there are at most r log n at one of r runs.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/regular/dfa_rows.h"

namespace emberline::grammar {

// `block`: [states], a partition that is not finer than equivalence and tells labels apart, numbered from 0
// on without gaps; refined in place. `first`: the blocks below it are not split.
void refine(const DfaRows& rows, const Grouped& predecessors, std::vector<std::uint32_t>& block,
            std::uint32_t first);

// Appends what `state` does to `row`: the blocks behind its byte classes, in whichever runs they come.
void append_row(const DfaRows& rows, std::uint32_t state, const std::vector<std::uint32_t>& block,
                std::vector<std::uint64_t>& row);

}  // namespace emberline::grammar
