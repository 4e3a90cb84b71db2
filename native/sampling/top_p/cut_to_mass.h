// The chooser among the ways to find a nucleus, for tokens that are collected already.
#pragma once

#include "sampling/top_p/top_p.h"

namespace emberline {

// With a mean mass of so much, most tokens would be in one bucket of a histogram, and nearly all are in the
// nucleus.
constexpr std::uint64_t kFlatMass = std::uint64_t{1} << (kMassBits - 2);

// Cuts the `count` >= 1 rank keys in space.keys(), which have masses of at least 1, to the shortest prefix by
// rank with the mass `wanted`, or keeps all where they have less.
Nucleus cut_to_mass(const SamplingKernels& kernels, NucleusSpace& space, std::size_t count,
                    const MassLaw& law, std::uint64_t wanted);

}  // namespace emberline
