#include "sampling/top_p/select_by_mass.h"

#include <algorithm>

namespace emberline {
namespace {

// So few are rather put in order.
constexpr std::size_t kFew = 32;

std::uint64_t median(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// The median of three medians, of keys all over the range.
std::uint64_t pivot_of(const std::uint64_t* keys, std::size_t count) {
  const std::size_t step = (count - 1) / 8;
  const auto at = [&](std::size_t i) { return keys[i * step]; };
  return median(median(at(0), at(3), at(6)), median(at(1), at(4), at(7)), median(at(2), at(5), at(8)));
}

// By insertion, each mass with its key.
void sort_few(std::uint64_t* keys, std::uint64_t* masses, std::size_t count) {
  for (std::size_t i = 1; i < count; ++i) {
    const std::uint64_t key = keys[i], mass = masses[i];
    std::size_t j = i;
    for (; j > 0 && keys[j - 1] > key; --j) {
      keys[j] = keys[j - 1];
      masses[j] = masses[j - 1];
    }
    keys[j] = key;
    masses[j] = mass;
  }
}

}  // namespace

Nucleus select_by_mass(std::uint64_t* keys, std::uint64_t* masses, std::size_t count, std::uint64_t wanted,
                       std::uint64_t* other_keys, std::uint64_t* other_masses) {
  // keys[0, begin) are in the nucleus and keys[end, ..) are not.
  std::size_t begin = 0, end = count;
  std::uint64_t mass = 0;  // of the former
  while (end - begin > kFew) {
    // Keys up to the pivot stay, those behind it go aside. Both are written each time: which it is cannot be
    // foreseen.
    const std::uint64_t pivot = pivot_of(keys + begin, end - begin);
    std::size_t up_to = begin, behind = 0;
    std::uint64_t mass_up_to = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t key = keys[i], own = masses[i];
      const bool stays = key <= pivot;
      keys[up_to] = other_keys[behind] = key;
      masses[up_to] = other_masses[behind] = own;
      up_to += stays;
      behind += !stays;
      mass_up_to += stays ? own : 0;
    }
    std::copy(other_keys, other_keys + behind, keys + up_to);
    std::copy(other_masses, other_masses + behind, masses + up_to);
    if (mass + mass_up_to < wanted) {
      mass += mass_up_to;
      begin = up_to;
    } else if (up_to < end) {
      end = up_to;
    } else {
      // The pivot was the last of all: it goes to the end and is left out, unless it is what reaches the
      // mass.
      const std::size_t place = static_cast<std::size_t>(std::find(keys + begin, keys + end, pivot) - keys);
      std::swap(keys[place], keys[--end]);
      std::swap(masses[place], masses[end]);
      if (mass + mass_up_to - masses[end] < wanted) return {end + 1, mass + mass_up_to, pivot, false};
    }
  }
  sort_few(keys + begin, masses + begin, end - begin);
  Nucleus nucleus{begin, mass, 0, begin == 0};
  do {
    nucleus.mass += masses[nucleus.count];
    nucleus.last = keys[nucleus.count++];
  } while (nucleus.mass < wanted);
  return nucleus;
}

}  // namespace emberline
