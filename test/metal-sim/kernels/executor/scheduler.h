// Runs the threads of one threadgroup as fibers on the calling host thread. A thread runs until it reaches a
// barrier or a simdgroup operation, so a thread that never synchronises costs no more than a function call.
//
// There is one scheduler a process, and the caller of run() has it to itself: threadgroup arrays are static
// variables of the compiled library.
#pragma once

#include <pthread.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kernels/executor/fiber.h"
#include "kernels/executor/simdgroup.h"
#include "kernels/executor/thread_order.h"
#include "kernels/simulator.h"

namespace emberline::metal_sim {

struct KernelThread {
  Context context = nullptr;  // null until the thread first runs
  std::uint64_t steps = 0;
  metal_sim_thread ids{};
};

using KernelEntry = void (*)(const metal_sim_bindings*, const metal_sim_thread*);

// What all threadgroups of a dispatch have in common.
struct Launch {
  std::string kernel;
  KernelEntry entry = nullptr;
  const metal_sim_bindings* bindings = nullptr;
  std::uint64_t steps_per_thread = 0;
};

class Scheduler {
 public:
  static Scheduler& instance() { return the_one_; }

  // OUT_OF_MEMORY when there is no room for the stacks.
  Status begin_dispatch(const Launch& launch);
  // threads()[0 .. count) have their ids set. False: fault() says why not all of them ended.
  bool run_threadgroup(std::uint32_t count, ThreadOrder& order);
  KernelThread* threads() { return threads_.get(); }
  Fault take_fault() { return std::move(fault_); }

  std::uint64_t barriers = 0;
  std::uint64_t simdgroup_operations = 0;

  // -- from within a thread
  KernelThread& current() { return *current_; }
  const Launch& launch() const { return launch_; }
  const FiberStacks& stacks() const { return stacks_; }
  SimdGroup& simdgroup() { return groups_[current_->ids.simdgroup_index_in_threadgroup]; }
  void threadgroup_barrier(unsigned memory_flags, const void* site);
  // Blocks until all live lanes of the simdgroup have come here; the result of `operation` for this lane.
  std::uint64_t meet(unsigned operation, std::uint64_t value, const void* site);
  // Notes that this lane took part in a simdgroup operation that exchanges nothing.
  void take_part(const void* site);
  void count_steps(std::uint64_t steps) {
    if ((current_->steps += steps) > launch_.steps_per_thread) fail_step_limit();
  }
  // Ends the dispatch. `what` is completed with the kernel and the current thread.
  [[noreturn]] void fail(FaultKind kind, const std::string& what, const void* site = nullptr);

  // -- from a signal handler
  // Grows with every step and switch of the threadgroup that runs.
  std::uint64_t progress() const { return current_->steps + switches_; }
  // Whether the host thread that asks is running a kernel's thread: its faults are the kernel's.
  bool in_thread() const { return in_thread_ && pthread_equal(pthread_self(), host_thread_) != 0; }
  // Notes the fault; the context to resume instead of the thread.
  Context abandon(FaultKind kind, const std::string& what, const void* site);

 private:
  // Not visible outside this library, so that reaching it from every load and store costs nothing.
  __attribute__((visibility("hidden"))) static Scheduler the_one_;

  enum class Wait : std::uint8_t { kBarrier, kSimdgroup };

  [[noreturn]] static void fiber_main();
  [[noreturn]] void finish_threads();
  [[noreturn]] void leave();
  [[noreturn]] void fail_step_limit();
  [[noreturn]] void fail_stuck(Wait wait);
  void block(Wait wait);
  void resume(Context* save, std::uint32_t thread);
  void end_current();
  void complete(SimdGroup& group);
  void check_participation(const SimdGroup& group, std::uint32_t lanes, const void* site);
  std::int64_t next_thread(std::uint32_t from);
  std::string describe_current() const;

  Launch launch_;
  FiberStacks stacks_;
  std::unique_ptr<KernelThread[]> threads_;
  std::array<SimdGroup, kMaxThreadsPerThreadgroup / kSimdWidth> groups_;
  KernelThread* current_ = nullptr;
  Context main_ = nullptr;
  ThreadOrder* order_ = nullptr;
  std::uint32_t count_ = 0, group_count_ = 0, live_ = 0, at_barrier_ = 0, stacks_used_ = 0;
  const void* barrier_site_ = nullptr;
  std::uint64_t switches_ = 0;
  pthread_t host_thread_{};
  bool in_thread_ = false, failed_ = false;
  Fault fault_{};
};

}  // namespace emberline::metal_sim
