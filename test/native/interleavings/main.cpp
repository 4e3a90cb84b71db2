// The tests, or one run of one scenario:
//   test_interleavings --scenario NAME --seed N [--count N] [--trace]
#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "interleavings/scenarios.h"
#include "interleavings/search.h"

namespace emberline::testing {
namespace {

int run_one(int count, char** arguments) {
  const char* name = "";
  std::uint64_t seed = 0, seeds = 1;
  bool traced = false;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    const char* const value = i + 1 < count ? arguments[i + 1] : "";
    if (argument == "--scenario") name = value;
    if (argument == "--seed") seed = std::strtoull(value, nullptr, 10);
    if (argument == "--count") seeds = std::strtoull(value, nullptr, 10);
    if (argument == "--trace") traced = true;
  }
  const Scenario* const scenario = find_scenario(name);
  if (scenario == nullptr) {
    std::fprintf(stderr, "There is no scenario '%s'; there are:\n", name);
    for (const Scenario& each : all_scenarios()) std::fprintf(stderr, "  %s\n", each.name);
    return 2;
  }
  for (std::uint64_t i = 0; i < seeds; ++i) {
    const RunFigures run = run_seed(*scenario, seed + i, traced);
    std::printf("%s, seed %" PRIu64 ": %" PRIu64 " points, %" PRIu64 " switches, trace %016" PRIx64 "\n",
                name, seed + i, run.points, run.switches, run.trace_hash);
  }
  return 0;
}

}  // namespace
}  // namespace emberline::testing

int main(int count, char** arguments) {
  if (count > 1 && std::strcmp(arguments[1], "--scenario") == 0)
    return emberline::testing::run_one(count, arguments);
  ::testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
