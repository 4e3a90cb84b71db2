#include "sampling/top_p/cut_to_mass.h"

#include <algorithm>

#include "sampling/top_p/filter.h"
#include "sampling/top_p/mass_histogram.h"
#include "sampling/top_p/select_by_mass.h"

namespace emberline {
namespace {

// So few are put in order as a whole; measured (bench sampling).
constexpr std::size_t kFewEnoughToSort = 100;

}  // namespace

Nucleus cut_to_mass(const SamplingKernels& kernels, NucleusSpace& space, std::size_t count,
                    const MassLaw& law, std::uint64_t wanted) {
  std::uint64_t* const keys = space.keys();
  const std::uint64_t total = kernels.masses(keys, count, law.largest, law.scale, space.masses());
  if (total <= wanted) return {count, total, *std::max_element(keys, keys + count), count == 1};
  if (count > kFewEnoughToSort && total / count >= kFlatMass) {
    return select_by_mass(keys, space.masses(), count, wanted, space.other_keys(), space.other_masses());
  }
  if (count > kFewEnoughToSort) return cut_by_histogram(space, count, wanted);
  std::sort(keys, keys + count);
  return cut_ranked(keys, law, wanted);
}

}  // namespace emberline
