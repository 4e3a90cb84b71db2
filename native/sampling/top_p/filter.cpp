#include "sampling/top_p/filter.h"

#include <algorithm>

namespace emberline {

std::uint64_t least_mass_in_nucleus(std::size_t count, std::uint64_t total, std::uint64_t wanted) {
  return count < 2 ? 1 : (total - wanted) / (count - 1) + 1;
}

std::size_t collect(const ScannedLogits& logits, float least, NucleusSpace& space) {
  return logits.kernels->collect(logits.values.data(), logits.values.size(), logits.block_largest, least,
                                 space.keys());
}

std::size_t filter(const TopPProblem& problem, NucleusSpace& space) {
  const std::uint64_t least =
      least_mass_in_nucleus(problem.logits.values.size(), problem.total, problem.wanted);
  const std::uint64_t first = problem.law.mass(problem.logits.largest);
  return collect(problem.logits, problem.law.least_logit(std::min(first, least)), space);
}

Nucleus cut_ranked(const std::uint64_t* keys, const MassLaw& law, std::uint64_t wanted) {
  Nucleus nucleus{.ranked = true};
  do {
    nucleus.last = keys[nucleus.count++];
    nucleus.mass += law.mass(nucleus.last);
  } while (nucleus.mass < wanted);
  return nucleus;
}

}  // namespace emberline
