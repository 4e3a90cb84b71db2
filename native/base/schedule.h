// Marked points: places between two steps that other threads can see, where a test decides who goes on.
//
// A build with EMBERLINE_SCHEDULE_POINTS can be put under a Schedule, which lets one thread run at a time. In
// all other builds a point is nothing, and Thread, Mutex and their kin (base/threads.h) are the standard
// library's.
#pragma once

#if defined(EMBERLINE_SCHEDULE_POINTS)

#include <chrono>

namespace emberline {

// What a test does with the threads that run under it. `place` is a name that outlives the schedule.
class Schedule {
 public:
  using ThreadId = unsigned;

  virtual ~Schedule() = default;

  // Called by the thread that runs. Others may run before each of the first three returns.
  virtual void pass(const char* place) = 0;
  // Until somebody wakes the waiters of `object`. May return before, as a condition variable may.
  virtual void wait(const void* object, const char* place) = 0;
  virtual void join(ThreadId thread) = 0;
  virtual void wake_one(const void* object) = 0;
  virtual void wake_all(const void* object) = 0;
  // Instead of a clock: depends on what has run alone.
  virtual std::chrono::nanoseconds time() = 0;

  // A thread is announced by the one that starts it, before anything of it runs.
  virtual ThreadId announce() = 0;
  // By the new thread: returns when it is its turn, and when it has done its work.
  virtual void begin(ThreadId thread) = 0;
  virtual void end(ThreadId thread) = 0;
};

// Null: the thread runs as the system lets it.
inline thread_local Schedule* schedule_of_thread = nullptr;

inline bool under_schedule() {
  return schedule_of_thread != nullptr;
}
inline void schedule_point(const char* place) {
  if (schedule_of_thread != nullptr) schedule_of_thread->pass(place);
}

}  // namespace emberline

#else

namespace emberline {

constexpr bool under_schedule() {
  return false;
}
inline void schedule_point(const char*) {}

}  // namespace emberline

#endif
