#include <algorithm>

#include "sampling/rank_key.h"
#include "sampling/top_p/filter.h"
#include "sampling/top_p/top_p.h"

namespace emberline {

Nucleus top_p_by_sorting(const TopPProblem& problem, NucleusSpace& space) {
  const std::span<const float> logits = problem.logits.values;
  // Ids first, one a word; each is replaced by its rank key once they are in order.
  std::uint64_t* const ids = space.keys();
  for (std::size_t id = 0; id < logits.size(); ++id) ids[id] = id;
  std::sort(ids, ids + logits.size(), [&](std::uint64_t a, std::uint64_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  });
  Nucleus nucleus{.ranked = true};
  do {
    const auto id = static_cast<std::uint32_t>(ids[nucleus.count]);
    nucleus.mass += problem.law.mass(logits[id]);
    nucleus.last = ids[nucleus.count++] = rank_key(logits[id], id);
  } while (nucleus.mass < problem.wanted);
  return nucleus;
}

}  // namespace emberline
