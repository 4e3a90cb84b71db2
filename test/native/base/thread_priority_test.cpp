#include "base/thread_priority.h"

#include <gtest/gtest.h>

#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "base/thread_pool.h"

namespace emberline {
namespace {

// Of the calling thread: Linux reads 0 as that.
int own_nice_value() {
  return getpriority(PRIO_PROCESS, 0);
}

int lowered_nice_value() {
  return std::min(19, getpriority(PRIO_PROCESS, static_cast<id_t>(getpid())) + kNiceIncrement);
}

TEST(ThreadPriority, IsLoweredOnceForTheThreadAndThoseItStarts) {
  const int before = own_nice_value();
  int once = -100, twice = -100, child = -100;
  std::thread([&] {
    lower_thread_priority();
    once = own_nice_value();
    lower_thread_priority();
    twice = own_nice_value();
    std::thread([&] {
      lower_thread_priority();
      child = own_nice_value();
    }).join();
  }).join();
  EXPECT_EQ(once, lowered_nice_value());
  EXPECT_EQ(twice, once);
  EXPECT_EQ(child, once);
  EXPECT_EQ(own_nice_value(), before);
}

TEST(ThreadPriority, IsLoweredForThePoolAndNotForItsCaller) {
  const int before = own_nice_value();
  const auto pool = ThreadPool::create(3).value();
  std::vector<int> values(3, -100);
  auto task = [&](int worker) { values[worker] = own_nice_value(); };
  pool->run(task);
  EXPECT_EQ(values, (std::vector<int>{before, lowered_nice_value(), lowered_nice_value()}));
}

}  // namespace
}  // namespace emberline
#endif
