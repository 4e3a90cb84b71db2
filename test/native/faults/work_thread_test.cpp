// The addon's thread ends without memory: whoever waits for it would wait for ever.
#include "addon/work_thread.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <latch>
#include <vector>

#include "faults/failing_allocations.h"

namespace emberline::testing {
namespace {

// More than a block of a queue holds: somewhere there, one job more needs a new block.
constexpr int kMostQueued = 80;

TEST(WorkThreadShortage, FinishesAfterWhatWasQueued) {
  for (int queued = 1; queued <= kMostQueued; ++queued) {
    std::vector<int> ran;
    ran.reserve(kMostQueued + 1);
    const auto note = [&ran](int job) { ran.push_back(job); };
    std::latch all_queued(1);
    addon::WorkThread thread;
    ASSERT_TRUE(thread.start().ok());
    ASSERT_TRUE(thread.post([&all_queued] { all_queued.wait(); }));
    for (int job = 1; job <= queued; ++job) {
      ASSERT_TRUE(thread.post([&note, job] { note(job); }));
    }
    {
      const FailingAllocations failing(1, Shortage::kLasting);
      thread.finish([&note] { note(0); });
      all_queued.count_down();
      thread.join();
    }
    ASSERT_EQ(ran.size(), static_cast<std::size_t>(queued) + 1);
    EXPECT_EQ(ran.front(), 1);
    EXPECT_EQ(ran.back(), 0);
  }
}

}  // namespace
}  // namespace emberline::testing
