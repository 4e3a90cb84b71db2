#include "sampling/top_p/filter.h"
#include "sampling/top_p/mass_histogram.h"
#include "sampling/top_p/top_p.h"

namespace emberline {

Nucleus top_p_by_histogram(const TopPProblem& problem, NucleusSpace& space) {
  const std::size_t count = filter(problem, space);
  problem.logits.kernels->masses(space.keys(), count, problem.law.largest, problem.law.scale, space.masses());
  return cut_by_histogram(space, count, problem.wanted);
}

}  // namespace emberline
