// Part of emberline_asan_ranges: whether the address sanitizer surely has nothing against an access.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emberline {

// Whether all of the `bytes` bytes from `address` on, at least 1, may be touched. False: perhaps not, or they
// are more than 64, which are not told at a glance.
bool surely_addressable(std::uintptr_t address, std::size_t bytes);

}  // namespace emberline
