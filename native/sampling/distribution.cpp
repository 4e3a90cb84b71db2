#include "sampling/distribution.h"

#include <cstddef>

namespace emberline {

std::uint64_t mass_below(double uniform, std::uint64_t total) {
  // The upper half of a product of 64-bit integers, from those of their halves.
  const auto share = static_cast<std::uint64_t>(uniform * 0x1p64);
  const std::uint64_t share_low = share & 0xFFFFFFFFu, share_high = share >> 32;
  const std::uint64_t total_low = total & 0xFFFFFFFFu, total_high = total >> 32;
  const std::uint64_t low = share_low * total_low;
  const std::uint64_t first = share_high * total_low + (low >> 32);
  const std::uint64_t second = share_low * total_high + (first & 0xFFFFFFFFu);
  return share_high * total_high + (first >> 32) + (second >> 32);
}

std::uint32_t draw_from(const Distribution& distribution, double uniform) {
  const std::uint64_t below = mass_below(uniform, distribution.total);
  std::uint64_t cumulative = distribution.masses[0];
  std::size_t i = 0;
  while (cumulative <= below) cumulative += distribution.masses[++i];
  return distribution.tokens[i];
}

}  // namespace emberline
