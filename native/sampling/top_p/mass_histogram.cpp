#include "sampling/top_p/mass_histogram.h"

#include <algorithm>
#include <array>

#include "sampling/top_p/mass_buckets.h"
#include "sampling/top_p/select_by_mass.h"

namespace emberline {
Nucleus cut_by_histogram(NucleusSpace& space, std::size_t count, std::uint64_t wanted) {
  std::uint64_t *const keys = space.keys(), *const masses = space.masses();
  // Neighbours in turn into two histograms: equal masses one after the other need not wait for each other's
  // sum.
  std::array<std::array<std::uint64_t, kMassBuckets>, 2> sums = {};
  std::size_t i = 0;
  for (; i + 1 < count; i += 2) {
    sums[0][bucket_of(masses[i])] += masses[i];
    sums[1][bucket_of(masses[i + 1])] += masses[i + 1];
  }
  if (i < count) sums[0][bucket_of(masses[i])] += masses[i];

  std::uint64_t above = 0;  // the mass of the buckets that are in the nucleus as a whole
  std::size_t boundary = kMassBuckets;
  std::uint64_t own = 0;
  do {
    above += own;
    --boundary;
    own = sums[0][boundary] + sums[1][boundary];
  } while (above + own < wanted);

  // What is above stays, the boundary's go aside, the rest is dropped.
  std::uint64_t *const other_keys = space.other_keys(), *const other_masses = space.other_masses();
  std::size_t kept = 0, aside = 0;
  for (std::size_t token = 0; token < count; ++token) {
    const std::uint64_t key = keys[token], mass = masses[token];
    const std::size_t bucket = bucket_of(mass);
    keys[kept] = other_keys[aside] = key;
    masses[kept] = other_masses[aside] = mass;
    kept += bucket > boundary;
    aside += bucket == boundary;
  }
  Nucleus inner = select_by_mass(other_keys, other_masses, aside, wanted - above, keys + kept, masses + kept);
  std::copy(other_keys, other_keys + inner.count, keys + kept);
  return {kept + inner.count, above + inner.mass, inner.last, kept == 0 && inner.ranked};
}

}  // namespace emberline
