// Threads that run one task together.
//
// A pool belongs to one device, and a device to one model. Two models that are used in turn, a model and its
// draft, have two pools that never run at once; the workers of the one that waits give their cores away
// within kSpinTime and park within kTimeToPark (waitable_counter.h). Two models used at once share the cores
// as two programs do.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "base/threads.h"
#include "base/waitable_counter.h"

namespace emberline {

inline constexpr int kMaxThreads = 64;

class ThreadPool {
 public:
  // A pool of `threads` workers, 1..kMaxThreads; the caller of run() is one of them, the others have a
  // lowered priority (thread_priority.h). OUT_OF_MEMORY when the system refuses a thread.
  static Result<std::unique_ptr<ThreadPool>> create(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls task(worker) once on each worker 0..threads()-1, worker 0 being the calling thread, and returns
  // when all have returned. `task` must not throw. One run at a time.
  template <typename Task>
  void run(Task& task) {
    run_erased([](void* context, int worker) { (*static_cast<Task*>(context))(worker); }, &task);
  }

 private:
  using ErasedTask = void (*)(void* context, int worker);
  ThreadPool() = default;
  void start(ErasedTask task, void* context);
  void run_erased(ErasedTask task, void* context);
  void work(int worker);

  // On one cache line: a worker that sees the counter change has the task as well.
  alignas(64) WaitableCounter started_;  // runs so far
  ErasedTask task_ = nullptr;            // null tells the workers to end
  void* context_ = nullptr;
  alignas(64) WaitableCounter finished_;  // workers' parts of all runs so far
  std::uint32_t finished_target_ = 0;     // what it will be after the run under way
  std::vector<Thread> workers_;
};

}  // namespace emberline
