#include <algorithm>

#include "sampling/top_p/filter.h"
#include "sampling/top_p/top_p.h"

namespace emberline {

Nucleus top_p_by_filter_and_fast_sort(const TopPProblem& problem, NucleusSpace& space) {
  std::uint64_t* const keys = space.keys();
  std::sort(keys, keys + filter(problem, space));
  return cut_ranked(keys, problem.law, problem.wanted);
}

}  // namespace emberline
