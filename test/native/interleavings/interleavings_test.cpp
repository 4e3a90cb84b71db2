// The engine's threads under thousands of schedules, and faults of such a kind, which these must find.
#include <gtest/gtest.h>

#include <cstdint>

#include "interleavings/scenarios.h"
#include "interleavings/search.h"

namespace emberline::testing {
namespace {

// Of all scenarios together.
constexpr std::uint64_t kSample = 500, kWhole = 10'000;

void expect_no_failure(std::uint64_t seeds) {
  const std::uint64_t each = (seeds + scenarios().size() - 1) / scenarios().size();
  for (const Scenario& scenario : scenarios()) {
    const auto failure = search(scenario, 1, each);
    EXPECT_FALSE(failure) << scenario.name << ", seed " << failure->seed << ":\n" << failure->what;
  }
}

TEST(Interleavings, NoneOfASampleFails) {
  expect_no_failure(kSample);
}

TEST(InterleavingsDeep, NoneFails) {
  expect_no_failure(kWhole);
}

TEST(Interleavings, ASeedIsAlwaysTheSameSchedule) {
  for (const Scenario& scenario : scenarios()) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const RunFigures once = run_seed(scenario, seed), again = run_seed(scenario, seed);
      EXPECT_EQ(once.trace_hash, again.trace_hash) << scenario.name << ", seed " << seed;
      EXPECT_EQ(once.points, again.points) << scenario.name << ", seed " << seed;
    }
  }
}

TEST(Interleavings, BrokenCopiesAreFoundAndFailAgain) {
  for (const Scenario& scenario : broken_scenarios()) {
    const auto failure = search(scenario, 1, kWhole);
    ASSERT_TRUE(failure) << scenario.name;
    RecordProperty(scenario.name, std::to_string(failure->seed));
    const auto again = search(scenario, failure->seed, 1);
    ASSERT_TRUE(again) << scenario.name << ", seed " << failure->seed;
    EXPECT_EQ(again->what, failure->what);
  }
}

}  // namespace
}  // namespace emberline::testing
