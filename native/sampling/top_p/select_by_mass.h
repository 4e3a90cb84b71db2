// Quickselect with masses for counts, over tokens in any order.
#pragma once

#include "sampling/top_p/top_p.h"

namespace emberline {

// Rearranges `count` >= 1 rank keys and their masses so that the shortest prefix by rank with the mass
// `wanted`, which they have in all, comes first. `other_keys`, `other_masses`: room for as many.
Nucleus select_by_mass(std::uint64_t* keys, std::uint64_t* masses, std::size_t count, std::uint64_t wanted,
                       std::uint64_t* other_keys, std::uint64_t* other_masses);

}  // namespace emberline
