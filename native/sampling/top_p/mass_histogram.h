// The search for a nucleus by buckets of tokens with nearly the same mass.
#pragma once

#include "sampling/top_p/top_p.h"

namespace emberline {

// As select_by_mass, with the space's `count` first keys and their masses, which are at least 1.
Nucleus cut_by_histogram(NucleusSpace& space, std::size_t count, std::uint64_t wanted);

}  // namespace emberline
