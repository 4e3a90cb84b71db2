#include <limits>

#include "sampling/rank_key.h"
#include "sampling/top_p/top_p.h"

namespace emberline {

Nucleus top_p_by_repeated_maximum(const TopPProblem& problem, NucleusSpace& space) {
  const std::span<const float> logits = problem.logits.values;
  Nucleus nucleus{.ranked = true};
  do {
    // The first rank key behind the last one taken.
    std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
    for (std::uint32_t id = 0; id < logits.size(); ++id) {
      const std::uint64_t key = rank_key(logits[id], id);
      if (key < best && (nucleus.count == 0 || key > nucleus.last)) best = key;
    }
    nucleus.last = space.keys()[nucleus.count++] = best;
    nucleus.mass += problem.law.mass(best);
  } while (nucleus.mass < problem.wanted);
  return nucleus;
}

}  // namespace emberline
