#include "sampling/top_p/filter.h"
#include "sampling/top_p/select_by_mass.h"
#include "sampling/top_p/top_p.h"

namespace emberline {

Nucleus top_p_by_quickselect(const TopPProblem& problem, NucleusSpace& space) {
  const std::size_t count = filter(problem, space);
  problem.logits.kernels->masses(space.keys(), count, problem.law.largest, problem.law.scale, space.masses());
  return select_by_mass(space.keys(), space.masses(), count, problem.wanted, space.other_keys(),
                        space.other_masses());
}

}  // namespace emberline
