// An op on the CPU device against the reference.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "device/table_harness.h"
#include "reference/reference_device.h"

namespace emberline::testing {

inline void expect_near(const std::vector<float>& actual, const std::vector<float>& expected,
                        double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    // First without the macro, which makes an object of each result: there are millions.
    if (std::fabs(double{actual[i]} - expected[i]) <= tolerance) continue;
    ASSERT_NEAR(actual[i], expected[i], tolerance) << "element " << i;
  }
}

// Runs `build_and_run` on the reference and on the CPU with 1 to 4 threads; the CPU's results must agree bit
// for bit.
inline void compare(const std::string& isa, double tolerance,
                    const std::function<std::vector<float>(Device&)>& build_and_run) {
  const std::vector<float> expected = build_and_run(*make_reference_device());
  const std::vector<float> actual = build_and_run(*cpu_device(isa, 1));
  expect_near(actual, expected, tolerance);
  for (int threads = 2; threads <= 4; ++threads) EXPECT_EQ(build_and_run(*cpu_device(isa, threads)), actual);
}

}  // namespace emberline::testing
