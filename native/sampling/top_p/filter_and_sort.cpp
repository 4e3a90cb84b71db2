#include <algorithm>

#include "sampling/rank_key.h"
#include "sampling/top_p/filter.h"
#include "sampling/top_p/top_p.h"

namespace emberline {

Nucleus top_p_by_filter_and_sort(const TopPProblem& problem, NucleusSpace& space) {
  const std::span<const float> logits = problem.logits.values;
  std::uint64_t* const keys = space.keys();
  // In the order of logits that are looked up, as the naive way has it.
  std::sort(keys, keys + filter(problem, space), [&](std::uint64_t a, std::uint64_t b) {
    const float za = logits[token_of(a)], zb = logits[token_of(b)];
    return za != zb ? za > zb : token_of(a) < token_of(b);
  });
  return cut_ranked(keys, problem.law, problem.wanted);
}

}  // namespace emberline
