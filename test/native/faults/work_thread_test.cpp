// The addon's thread ends without memory: whoever waits for it would wait for ever.
#include "addon/work_thread.h"

#include <gtest/gtest.h>

#include <vector>

#include "faults/failing_allocations.h"

namespace emberline::testing {
namespace {

TEST(WorkThreadShortage, FinishesAfterWhatWasQueued) {
  std::vector<int> ran;
  ran.reserve(200);
  const auto note = [&ran](int job) { ran.push_back(job); };
  addon::WorkThread thread;
  ASSERT_TRUE(thread.start().ok());
  for (int job = 1; job <= 130; ++job) {
    ASSERT_TRUE(thread.post([&note, job] { note(job); }));
  }
  {
    const FailingAllocations failing(1, Shortage::kLasting);
    thread.finish([&note] { note(0); });
    thread.join();
  }
  ASSERT_EQ(ran.size(), 131u);
  EXPECT_EQ(ran.front(), 1);
  EXPECT_EQ(ran.back(), 0);
}

}  // namespace
}  // namespace emberline::testing
