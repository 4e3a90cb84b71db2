// Strongly connected components of a graph of rules.
//
// Source: Tarjan, "Depth-first search and linear graph algorithms" (SIAM J. Comput. 1972), without recursion.
#pragma once

#include <cstdint>
#include <vector>

namespace emberline::grammar::gbnf {

using Edges = std::vector<std::vector<std::uint32_t>>;  // [from]: where to

// Of those that can be reached from `start`. A component comes behind all that can be reached from it.
std::vector<std::vector<std::uint32_t>> components(const Edges& edges, std::uint32_t start);

}  // namespace emberline::grammar::gbnf
