// Threads, and what they wait for each other with: the standard library's, or those that a Schedule knows of.
//
// Everything of the engine that two threads meet at uses these, so that a test sees who waits for what.
#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <type_traits>
#include <utility>

#include "base/schedule.h"

#if defined(EMBERLINE_SCHEDULE_POINTS)
#include "base/scheduled_threads.h"
#else
#include <condition_variable>
#include <mutex>
#include <thread>
#endif

namespace emberline {

#if defined(EMBERLINE_SCHEDULE_POINTS)

using Thread = ScheduledThread;
using Mutex = ScheduledMutex;
using ConditionVariable = ScheduledConditionVariable;
template <typename T>
using Beside = ScheduledBeside<T>;

#else

using Thread = std::thread;
using Mutex = std::mutex;
using ConditionVariable = std::condition_variable;
template <typename T>
using Beside = std::future<T>;

// While `word` holds `value`; may return before it changed.
inline void wait_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  word.wait(value);
}
inline void wake_waiters(std::atomic<std::uint32_t>& word) {
  word.notify_all();
}

#endif

// Does `work` beside what its caller does: on a thread of its own, or, where the system gives none, in get().
// What `work` throws comes out of get(); giving up what is returned waits for it.
template <typename Work>
Beside<std::invoke_result_t<Work>> begin_beside(Work work) {
#if defined(EMBERLINE_SCHEDULE_POINTS)
  return Beside<std::invoke_result_t<Work>>(std::move(work));
#else
  return std::async(std::launch::async | std::launch::deferred, std::move(work));
#endif
}

}  // namespace emberline
