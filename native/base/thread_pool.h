// Threads that run one task together, and the barrier they meet at inside it.
//
// Both wait in two steps: a short spin, because the next stage is usually microseconds away, then a park in
// the kernel, so that a machine with fewer free cores than threads does not stall and an idle pool takes no
// processor time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "base/status.h"

namespace emberline {

inline constexpr int kMaxThreads = 64;

// Returns once `value` no longer holds `old`. Whoever changes it stores with memory_order_seq_cst, then
// notifies.
void wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old);

// A barrier for a fixed number of threads, reusable at once.
class Barrier {
 public:
  explicit Barrier(int parties) : parties_(static_cast<std::uint32_t>(parties)) {}

  // Returns when all parties have arrived. The last to arrive runs `completion` first: it sees everything the
  // others wrote before they arrived, and they see what it wrote once they return.
  template <typename Completion>
  void arrive_and_wait(Completion&& completion) {
    const std::uint32_t generation = generation_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == parties_) {
      completion();
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(generation + 1);
      if (parties_ > 1) generation_.notify_all();
    } else {
      wait_for_change(generation_, generation);
    }
  }

 private:
  const std::uint32_t parties_;
  alignas(64) std::atomic<std::uint32_t> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> generation_{0};
};

class ThreadPool {
 public:
  // A pool of `threads` workers, 1..kMaxThreads; the caller of run() is one of them. OUT_OF_MEMORY when the
  // system refuses a thread.
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
  void run_erased(ErasedTask task, void* context);
  void work(int worker);

  ErasedTask task_ = nullptr;  // null tells the workers to end
  void* context_ = nullptr;
  alignas(64) std::atomic<std::uint32_t> started_{0};  // runs so far
  alignas(64) std::atomic<std::uint32_t> running_{0};  // workers of this run that have not returned
  std::vector<std::thread> workers_;
};

}  // namespace emberline
