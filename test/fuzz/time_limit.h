// How long an input may take: processor time, which other programs do not stretch, unlike libFuzzer's
// -timeout.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace emberline::testing {

// One for each input, around all of it. Aborts where more than kMostSeconds passed; the longest time is
// printed when the process ends.
class TimeLimit {
 public:
  TimeLimit() : start_(std::clock()) {
    if (longest() == 0) std::atexit(print);
  }
  ~TimeLimit() {
    const std::clock_t took = std::clock() - start_;
    longest() = std::max({longest(), took, std::clock_t{1}});
    if (static_cast<double>(took) > kMostSeconds * CLOCKS_PER_SEC) std::abort();
  }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  // The sanitizers and the fuzzer's own tracing take ten times as long and more: a second without them.
  static constexpr double kMostSeconds = 10;

  static std::clock_t& longest() {
    static std::clock_t time = 0;
    return time;
  }
  static void print() {
    std::fprintf(stderr, "stat::slowest_unit_processor_ms: %.0f\n",
                 1000.0 * static_cast<double>(longest()) / CLOCKS_PER_SEC);
  }

  std::clock_t start_;
};

}  // namespace emberline::testing
