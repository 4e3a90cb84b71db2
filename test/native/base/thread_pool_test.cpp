#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <ctime>
#include <vector>

#include "base/cpu_topology.h"

namespace emberline {
namespace {

TEST(ThreadPool, RefusesCountsOutOfRange) {
  for (int threads : {-1, 0, 65}) EXPECT_EQ(ThreadPool::create(threads).code(), ErrorCode::kInvalidArgument);
}

TEST(ThreadPool, RunsATaskOnceOnEachWorker) {
  for (int threads : {1, 2, 3, 8}) {
    const auto pool = ThreadPool::create(threads).value();
    EXPECT_EQ(pool->threads(), threads);
    std::vector<int> runs(threads, 0);
    const auto caller = std::this_thread::get_id();
    auto task = [&](int worker) {
      ++runs[worker];
      EXPECT_EQ(std::this_thread::get_id() == caller, worker == 0);
    };
    for (int i = 0; i < 200; ++i) pool->run(task);
    EXPECT_EQ(runs, std::vector<int>(threads, 200));
  }
}

TEST(ThreadPool, EndsWithoutEverRunning) {
  for (int i = 0; i < 50; ++i) EXPECT_EQ(ThreadPool::create(4).value()->threads(), 4);
}

// Plain variables on purpose: the barrier alone must order their reads and writes (ThreadSanitizer checks
// that it does).
TEST(Barrier, OrdersWhatHappensBeforeAndAfter) {
  for (int threads : {1, 2, 4, 7}) {
    const auto pool = ThreadPool::create(threads).value();
    Barrier barrier(threads);
    std::vector<int> written(threads, 0);
    int total = 0, completions = 0;
    bool wrong = false;
    auto task = [&](int worker) {
      for (int round = 1; round <= 500; ++round) {
        written[worker] = round;
        barrier.arrive_and_wait([&] {
          total = 0;
          for (int value : written) total += value;
          ++completions;
        });
        if (total != round * threads && worker == 0) wrong = true;
        barrier.arrive_and_wait([] {});
      }
    };
    pool->run(task);
    EXPECT_FALSE(wrong);
    EXPECT_EQ(completions, 500);
  }
}

TEST(Barrier, HoldsUpWithMoreThreadsThanCores) {
  const auto pool = ThreadPool::create(16).value();
  Barrier barrier(16);
  int rounds = 0;
  auto task = [&](int) {
    for (int i = 0; i < 200; ++i) barrier.arrive_and_wait([&] { ++rounds; });
  };
  pool->run(task);
  EXPECT_EQ(rounds, 200);
}

#if defined(__linux__)
double seconds_of(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Processor time that the process's other threads take while this one computes for 10 ms of its own processor
// time.
double time_of_others() {
  const double process = seconds_of(CLOCK_PROCESS_CPUTIME_ID), self = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < self + 0.01) {
  }
  return (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - process) - (seconds_of(CLOCK_THREAD_CPUTIME_ID) - self);
}

// Workers spin for a bounded time after a run, then park and take nothing; workers that went on spinning
// would take about as much as this thread in every window.
TEST(ThreadPool, TakesNoProcessorTimeWhenIdle) {
  const auto pool = ThreadPool::create(4).value();
  std::atomic<int> runs{0};
  auto task = [&](int) { ++runs; };
  pool->run(task);
  EXPECT_EQ(runs, 4);
  int idle_windows = 0;
  for (int window = 0; window < 100 && idle_windows < 3; ++window) {
    idle_windows = time_of_others() < 0.001 ? idle_windows + 1 : 0;
  }
  EXPECT_EQ(idle_windows, 3);
}
#endif

TEST(CpuTopology, RecommendsAUsableNumberOfThreads) {
  EXPECT_GE(recommended_threads(), 1);
  EXPECT_LE(recommended_threads(), kMaxRecommendedThreads);
}

}  // namespace
}  // namespace emberline
