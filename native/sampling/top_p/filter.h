// What can be left out of the search for a nucleus beforehand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sampling/top_p/top_p.h"

namespace emberline {

// The least mass that a token of the nucleus other than its first can have, of `count` tokens with the mass
// `total` together; at least 1. Before such a token comes less than `wanted`, so it and those after it, count
// - 1 at most and none of them larger, have more than total - wanted.
std::uint64_t least_mass_in_nucleus(std::size_t count, std::uint64_t total, std::uint64_t wanted);

// The rank keys of the tokens with a logit of `least` (finite) or more into space.keys(), by id; gives how
// many.
std::size_t collect(const ScannedLogits& logits, float least, NucleusSpace& space);

// Writes the rank keys of the tokens that least_mass_in_nucleus() leaves into space.keys(), by id; gives how
// many.
std::size_t filter(const TopPProblem& problem, NucleusSpace& space);

// Cuts rank keys, which are in order and have the wanted mass in all, behind the token that reaches it.
Nucleus cut_ranked(const std::uint64_t* keys, const MassLaw& law, std::uint64_t wanted);

}  // namespace emberline
