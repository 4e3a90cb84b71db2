#include "sampling/top_p/top_p.h"

#include <limits>

#include "sampling/rank_key.h"
#include "sampling/top_p/cut_to_mass.h"
#include "sampling/top_p/estimated_filter.h"
#include "sampling/top_p/filter.h"

namespace emberline {
namespace {

constexpr float kLowest = std::numeric_limits<float>::lowest();

}  // namespace

Nucleus top_p(const TopPProblem& problem, NucleusSpace& space) {
  const ScannedLogits& logits = problem.logits;
  const std::uint64_t first = problem.law.mass(logits.largest);
  if (first >= problem.wanted) {
    space.keys()[0] = rank_key(logits.largest, logits.best);
    return {1, first, space.keys()[0], true};
  }
  const bool flat = problem.total / logits.values.size() >= kFlatMass;
  const float least = flat ? kLowest : estimated_least_logit(problem, space);
  if (least > kLowest) {
    const std::size_t count = collect(logits, least, space);
    const Nucleus nucleus = cut_to_mass(*logits.kernels, space, count, problem.law, problem.wanted);
    if (nucleus.mass >= problem.wanted) return nucleus;
  }
  return cut_to_mass(*logits.kernels, space, filter(problem, space), problem.law, problem.wanted);
}

std::span<const NamedTopP> top_p_algorithms() {
  static constexpr NamedTopP all[] = {
      {"sort", top_p_by_sorting},
      {"filtersort", top_p_by_filter_and_sort},
      {"fastsort", top_p_by_filter_and_fast_sort},
      {"filterscan", top_p_by_filter_and_scan},
      {"repeatedmax", top_p_by_repeated_maximum},
      {"histogram", top_p_by_histogram},
      {"quickselect", top_p_by_quickselect},
      {"chosen", top_p},
  };
  return all;
}

}  // namespace emberline
