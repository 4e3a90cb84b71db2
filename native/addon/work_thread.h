// One thread that runs jobs in order. An engine gets a thread of its own: work that takes seconds would
// starve the pool that Node shares between file reads, look-ups and every other addon. Its priority is
// lowered (base/thread_priority.h).
#pragma once

#include <deque>
#include <functional>

#include "base/status.h"
#include "base/threads.h"

namespace emberline::addon {

class WorkThread {
 public:
  using Job = std::function<void()>;

  WorkThread() = default;
  ~WorkThread() { join(); }
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;

  // OUT_OF_MEMORY when the system gives no thread.
  Status start();

  // From any thread. False, and the job is not run, once finish() was called or when start() was not.
  bool post(Job job);

  // No more jobs: the thread runs what is queued, then `last`, and ends. Does not wait. Only the first call
  // counts. Takes no memory: without it there would be a thread that nobody can end.
  void finish(Job last);

  // Waits for the thread's end; finish() comes first. Idempotent.
  void join();

 private:
  void run();

  Mutex mutex_;
  ConditionVariable changed_;
  std::deque<Job> jobs_;
  Job last_;  // of finish()
  bool accepting_ = false;
  Thread thread_;
};

}  // namespace emberline::addon
