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
    run(task, threads());
  }
  // The same on the first `threads` workers, 1..threads(); the others are not disturbed.
  template <typename Task>
  void run(Task& task, int threads) {
    run_erased([](void* context, int worker) { (*static_cast<Task*>(context))(worker); }, &task, threads);
  }

 private:
  using ErasedTask = void (*)(void* context, int worker);
  // On one cache line: a worker that sees the counter change has the task as well.
  struct alignas(64) Worker {
    WaitableCounter started;    // runs it was in so far
    ErasedTask task = nullptr;  // null tells it to end
    void* context = nullptr;
    Thread thread;
  };
  ThreadPool() = default;
  static void start(Worker& worker, ErasedTask task, void* context);
  void run_erased(ErasedTask task, void* context, int threads);
  void work(Worker& worker, int index);

  alignas(64) WaitableCounter finished_;  // workers' parts of all runs so far
  std::uint32_t finished_target_ = 0;     // what it will be after the run under way
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace emberline
