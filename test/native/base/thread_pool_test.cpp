#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <vector>

#include "base/barrier.h"
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
    std::vector<int> written(threads, 0), wrong(threads, 0);
    auto task = [&](int worker) {
      Barrier::Party party = barrier.party();
      for (int value = 1; value <= 500; ++value) {
        written[worker] = value;
        barrier.arrive_and_wait(party);
        for (int other : written) wrong[worker] += other != value;
        barrier.arrive_and_wait(party);
      }
    };
    pool->run(task);
    EXPECT_EQ(wrong, std::vector<int>(threads, 0));
  }
}

// Each round has another thread, or none, ask to stop: all must leave in the first round in which one does,
// though a fast thread may be a round ahead of a slow one.
TEST(Barrier, AllStopInTheRoundInWhichOneAsks) {
  for (int threads : {1, 2, 4, 7}) {
    const auto pool = ThreadPool::create(threads).value();
    for (std::uint64_t last = 1; last <= 100; ++last) {
      Barrier barrier(threads);
      std::vector<std::uint64_t> ended(threads, 0);
      auto task = [&](int worker) {
        const bool asks = static_cast<std::uint64_t>(worker) == last % static_cast<std::uint64_t>(threads);
        Barrier::Party party = barrier.party();
        while (!barrier.arrive_and_wait(party, {.stop = asks && party.round + 1 == last}).stop) {
        }
        ended[worker] = party.round;
      };
      pool->run(task);
      EXPECT_EQ(ended, std::vector<std::uint64_t>(threads, last));
    }
  }
}

TEST(Barrier, HoldsUpWithMoreThreadsThanCores) {
  const auto pool = ThreadPool::create(16).value();
  Barrier barrier(16);
  std::atomic<int> arrivals{0}, early{0};
  auto task = [&](int) {
    Barrier::Party party = barrier.party();
    for (int round = 1; round <= 200; ++round) {
      ++arrivals;
      barrier.arrive_and_wait(party);
      if (arrivals < 16 * round) ++early;
    }
  };
  pool->run(task);
  EXPECT_EQ(arrivals, 16 * 200);
  EXPECT_EQ(early, 0);
}

// The first thread asks for fewer, at once or now and then, until it is alone; threads that leave may see
// that when the others are rounds ahead.
TEST(Barrier, GoesOnWithHalfTheThreadsWhereTheFirstAsks) {
  for (int threads : {2, 3, 4, 7, 16}) {
    for (int every : {1, 2, 5}) {
      const auto pool = ThreadPool::create(threads).value();
      Barrier barrier(threads);
      std::vector<int> written(threads, 0), wrong(threads, 0), ended(threads, 0);
      auto task = [&](int worker) {
        Barrier::Party party = barrier.party();
        for (int value = 1; value <= 60 && worker < party.threads; ++value) {
          written[worker] = value;
          barrier.arrive_and_wait(party);
          for (int other = 0; other < party.threads; ++other) wrong[worker] += written[other] != value;
          barrier.arrive_and_wait(party, {.halve = worker == 0 && party.threads > 1 && value % every == 0});
          ended[worker] = value;
        }
      };
      pool->run(task);
      EXPECT_EQ(wrong, std::vector<int>(threads, 0));
      EXPECT_EQ(ended[0], 60);
      for (int worker = 1, most = 60; worker < threads; ++worker) {
        EXPECT_LT(ended[worker], 60);
        EXPECT_LE(ended[worker], most);
        most = ended[worker];
      }
    }
  }
}

TEST(ThreadPool, RunsATaskOnTheFirstWorkersAlone) {
  const auto pool = ThreadPool::create(5).value();
  std::vector<std::atomic<int>> runs(5);
  auto task = [&](int worker) { ++runs[worker]; };
  for (int i = 0; i < 100; ++i)
    for (int threads : {1, 2, 5, 3}) pool->run(task, threads);
  const int expected[] = {400, 300, 200, 100, 100};
  for (int worker = 0; worker < 5; ++worker) EXPECT_EQ(runs[worker], expected[worker]);
}

// Also when it has given up spinning.
TEST(WaitableCounter, WakesAParkedThread) {
  for (int i = 0; i < 20; ++i) {
    WaitableCounter counter;
    std::atomic<bool> returned{false};
    std::thread waiter([&] {
      counter.wait(2);
      returned = true;
    });
    const auto parked = std::chrono::steady_clock::now() + 4 * kTimeToPark;
    counter.increment();
    counter.wake();  // not yet its value: it goes on waiting
    while (std::chrono::steady_clock::now() < parked) std::this_thread::yield();
    EXPECT_FALSE(returned);
    counter.increment();
    counter.wake();
    waiter.join();
    EXPECT_TRUE(returned);
  }
}

TEST(WaitableCounter, WrapsAround) {
  WaitableCounter counter;
  EXPECT_TRUE(counter.reached(0));
  EXPECT_TRUE(counter.reached(0xFFFFFFFFu));  // one before zero
  EXPECT_FALSE(counter.reached(1));
  counter.increment();
  EXPECT_TRUE(counter.reached(1));
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
