// The portable kernel set, and the obvious one: a logit at a time, by the functions of the law itself.
#include <float.h>

#include "sampling/kernels/sampling_kernels.h"
#include "sampling/mass_law.h"

namespace emberline {
namespace {

struct Vector {
  static constexpr std::size_t kLanes = 1;
  using Lanes = float;

  static float load(const float* p) { return *p; }
  static float max(float a, float b) { return a > b ? a : b; }
  static float largest(float a) { return a; }

  class Finite {
   public:
    void note(float a) { all_ = all_ && a <= FLT_MAX; }
    bool all() const { return all_; }

   private:
    bool all_ = true;
  };

  class MassSum {
   public:
    MassSum(float largest, float scale) : law_{largest, scale} {}
    void add(float a) { total_ += law_.mass(a); }
    std::uint64_t total() const { return total_; }

   private:
    MassLaw law_;
    std::uint64_t total_ = 0;
  };

  static std::size_t append(float logit, float least, std::uint32_t token, std::uint64_t* out) {
    *out = rank_key(logit, token);
    return logit >= least ? 1 : 0;
  }
};

}  // namespace
}  // namespace emberline

#include "sampling/kernels/logit_loops.h"

namespace emberline {
namespace {

std::uint64_t masses(const std::uint64_t* rank_keys, std::size_t n, float largest, float scale,
                     std::uint64_t* masses) {
  const MassLaw law{largest, scale};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += masses[i] = law.mass(rank_keys[i]);
  return sum;
}

}  // namespace

const SamplingKernels& portable_sampling_kernels() {
  static constexpr SamplingKernels kernels = {"portable", scan, total_mass, collect, masses};
  return kernels;
}

}  // namespace emberline
