// argmax of numbers below the least normal one, which the simulated GPU keeps: a real one may flush them to
// zero, so these stay with the simulator.
#include <gtest/gtest.h>

#include <limits>

#include "argmax_run.h"

namespace emberline::metal_sim {
namespace {

TEST(Argmax, ComparesDenormals) {
  const float largest = std::numeric_limits<float>::max(), least = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(ArgmaxRun({-largest, 0, least, -least}).run().token(), 2u);
  EXPECT_EQ(ArgmaxRun({-largest, -least, -2 * least}).run().token(), 1u);
}

}  // namespace
}  // namespace emberline::metal_sim
