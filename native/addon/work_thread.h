// One thread that runs jobs in order. An engine gets a thread of its own: work that takes seconds would
// starve the pool that Node shares between file reads, look-ups and every other addon. Its priority is
// lowered (base/thread_priority.h), so whoever hands it a job takes no lock that it may hold.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "addon/inbox.h"
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

  // OUT_OF_MEMORY when the system gives no thread. Before any other call, from the thread that makes them or
  // hands them on.
  Status start();

  // From any thread. False, and the job is not run, once finish() was called or when start() was not.
  bool post(Job job);

  // No more jobs: the thread runs what is queued, then `last`, and ends. Does not wait. Only the first call
  // counts. Takes no memory: without it there would be a thread that nobody can end.
  void finish(Job last);

  // Waits for the thread's end; finish() comes first. Idempotent.
  void join();

  // From any thread: how many jobs were begun and how many of them ended, together. Odd while one runs.
  std::uint64_t turns() const { return turns_.load(); }

 private:
  struct Queued : Inbox::Link {
    Job run;
  };

  void run();
  void wake();

  Inbox jobs_;
  Queued last_;  // of finish()
  std::atomic<bool> finishes_{false};
  std::atomic<std::uint32_t> posted_{0};  // changes with every job; what the thread sleeps on
  std::atomic<std::uint64_t> turns_{0};
  bool started_ = false;
  Thread thread_;
};

}  // namespace emberline::addon
