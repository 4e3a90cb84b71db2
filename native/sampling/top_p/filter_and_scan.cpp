#include <utility>

#include "sampling/top_p/filter.h"
#include "sampling/top_p/top_p.h"

namespace emberline {

Nucleus top_p_by_filter_and_scan(const TopPProblem& problem, NucleusSpace& space) {
  std::uint64_t *const keys = space.keys(), *const masses = space.masses();
  const std::size_t count = filter(problem, space);
  const MassLaw& law = problem.law;
  std::uint64_t left = problem.logits.kernels->masses(keys, count, law.largest, law.scale, masses);

  Nucleus nucleus{.ranked = true};
  do {
    std::size_t best = nucleus.count;
    // What comes after a token with more than half of the mass that is left has less.
    for (std::size_t i = best; i < count && masses[best] <= left / 2; ++i) {
      if (keys[i] < keys[best]) best = i;
    }
    std::swap(keys[nucleus.count], keys[best]);
    std::swap(masses[nucleus.count], masses[best]);
    left -= masses[nucleus.count];
    nucleus.mass += masses[nucleus.count];
    nucleus.last = keys[nucleus.count++];
  } while (nucleus.mass < problem.wanted);
  return nucleus;
}

}  // namespace emberline
