#include "base/active_threads.h"

#include <gtest/gtest.h>

namespace emberline {
namespace {

using std::chrono::milliseconds;

// Threads in a row of runs of which each computes and waits for so long.
class ActiveThreadsTest : public ::testing::Test {
 protected:
  // Returns in how many of the runs the number was halved.
  int run(ActiveThreads& active, int runs, milliseconds computed, milliseconds waited) {
    int halved = 0;
    for (int i = 0; i < runs; ++i) {
      active.begin(now_);
      now_ += computed + waited;
      halved += active.halve_after(waited, now_);
      active.end(now_);
    }
    return halved;
  }

  ActiveThreads::Time now_ = ActiveThreads::Time(std::chrono::hours(1));
};

TEST_F(ActiveThreadsTest, AreAllWhereWaitsAreShorterThanWhatIsComputed) {
  ActiveThreads active(8);
  EXPECT_EQ(run(active, 1000, milliseconds(4), milliseconds(3)), 0);
  EXPECT_EQ(active.count(), 8);
}

TEST_F(ActiveThreadsTest, ASingleLongWaitCostsLessThanHalfTheThreadsWould) {
  ActiveThreads active(2);
  EXPECT_EQ(run(active, 1, milliseconds(1), milliseconds(10)), 0);
  EXPECT_EQ(run(active, 100, milliseconds(5), milliseconds(0)), 0);
  EXPECT_EQ(run(active, 1, milliseconds(1), milliseconds(10)), 0);
  EXPECT_EQ(active.count(), 2);
}

TEST_F(ActiveThreadsTest, AreHalvedUntilOneIsLeftWhereTheyWait) {
  ActiveThreads active(7);
  for (int expected : {4, 2, 1}) {
    EXPECT_EQ(run(active, 2, milliseconds(1), milliseconds(8)), 1);
    EXPECT_EQ(active.count(), expected);
  }
  EXPECT_EQ(run(active, 5, milliseconds(1), milliseconds(8)), 0);
  EXPECT_EQ(active.count(), 1);
}

TEST_F(ActiveThreadsTest, AreDoubledAfterARestThatGrowsWhileThatIsTooEarly) {
  ActiveThreads active(2);
  ActiveThreads::Duration last{};
  for (int trial = 0; trial < 8; ++trial) {
    while (run(active, 1, milliseconds(1), milliseconds(8)) == 0) {
    }
    const ActiveThreads::Time halved = now_;
    while (active.begin(now_) == 1) now_ += milliseconds(1);
    EXPECT_GE(now_ - halved, std::max(last, ActiveThreads::kFirstRest));
    EXPECT_LE(now_ - halved, ActiveThreads::kLongestRest);
    last = now_ - halved;
  }
  EXPECT_EQ(last, ActiveThreads::kLongestRest);

  // It went well for long: whatever comes then is something new.
  run(active, 1000, milliseconds(5), milliseconds(0));
  while (run(active, 1, milliseconds(1), milliseconds(8)) == 0) {
  }
  const ActiveThreads::Time halved = now_;
  while (active.begin(now_) == 1) now_ += milliseconds(1);
  EXPECT_LT(now_ - halved, milliseconds(300));
}

// A thread that gets a core twice a second.
TEST_F(ActiveThreadsTest, RestLongerTheMoreAnAttemptCosts) {
  ActiveThreads active(2);
  const ActiveThreads::Time first = now_;
  ActiveThreads::Duration lost{};
  for (int attempt = 0; attempt < 8; ++attempt) {
    active.begin(now_);
    now_ += milliseconds(251);
    EXPECT_TRUE(active.halve_after(milliseconds(250), now_));
    now_ += milliseconds(250);
    EXPECT_FALSE(active.halve_after(milliseconds(250), now_));
    active.end(now_);
    lost += milliseconds(500);
    while (active.begin(now_) == 1) now_ += milliseconds(1);
  }
  EXPECT_LE(lost * ActiveThreads::kRest, now_ - first);
  EXPECT_GE(lost * (ActiveThreads::kRest + 2), now_ - first);

  // An hour without a core is not answered with a day.
  active.begin(now_);
  now_ += std::chrono::hours(1);
  EXPECT_TRUE(active.halve_after(std::chrono::hours(1), now_));
  active.end(now_);
  now_ += ActiveThreads::kLongestRestOfCost;
  EXPECT_EQ(active.begin(now_), 2);
}

TEST_F(ActiveThreadsTest, AreNeverMoreThanThereAre) {
  ActiveThreads active(3);
  while (active.count() > 1) run(active, 1, milliseconds(1), milliseconds(20));
  for (int i = 0; i < 100; ++i) {
    now_ += ActiveThreads::kLongestRestOfCost;
    EXPECT_LE(active.begin(now_), 3);
  }
  EXPECT_EQ(active.count(), 3);
}

TEST_F(ActiveThreadsTest, WaitsOfUnequalSharesDoNotCount) {
  ActiveThreads active(2);
  for (int i = 0; i < 10'000; ++i) {
    now_ += std::chrono::microseconds(250);
    EXPECT_FALSE(active.halve_after(std::chrono::microseconds(250), now_));
  }
}

}  // namespace
}  // namespace emberline
