// When and in which order the simulated GPU works.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "kernels/simulator.h"

namespace emberline::metal_sim {

enum class Execution {
  kWorker,  // a thread a queue, which starts on a command buffer when it is committed
  // Inside waitUntilCompleted, on the thread that waits. Nothing else makes progress: a host that waits for a
  // completed handler in any other way waits forever.
  kAtWait,
};

struct Schedule {
  Execution execution = Execution::kWorker;
  Order threads;  // of the threads of a dispatch
  // Dispatches that no barrier orders run in an order drawn from `seed`; otherwise as they were encoded.
  bool shuffle_dispatches = false;
  std::uint64_t seed = 0;
  // Two dispatches that no barrier orders, of which one writes memory bound at the same place of the same
  // buffer as the other reads or writes, are a kMissingBarrier failure. Needs libraries compiled with checks.
  bool find_missing_barriers = true;
};

// For command buffers that start from now on.
void set_schedule(const Schedule& schedule);
Schedule schedule();

// Keeps workers from starting on command buffers for as long as it lives. One at a time.
class PausedGpu {
 public:
  PausedGpu();
  ~PausedGpu();
  PausedGpu(const PausedGpu&) = delete;
  PausedGpu& operator=(const PausedGpu&) = delete;
};

// One buffer as a dispatch sees it.
struct BoundBuffer {
  std::uint32_t index = 0;
  const std::string* label = nullptr;  // of the MTLBuffer; null for setBytes
  std::uint64_t offset = 0;            // into the MTLBuffer
  void* data = nullptr;                // at that offset
  std::size_t bytes = 0;               // from there to the end
  std::uint64_t bytes_read = 0;        // by this dispatch; known after it alone, and in checked libraries
  std::uint64_t bytes_written = 0;
};

// A dispatch that is about to run, or has run.
struct DispatchView {
  std::uint64_t submission = 0;  // as in Event
  std::uint64_t index = 0;       // among the submission's dispatches, in the order they run in
  const std::string& kernel;     // the pipeline's label, or the function's name
  Size threadgroups;             // all zero where an indirect dispatch was given nothing to do
  bool indirect = false;
  std::span<const BoundBuffer> buffers;
};

// Called on the thread that runs the dispatch: to change shared memory in mid-submission as a host could, or
// afterwards to spoil what a kernel wrote. Empty: none.
using DispatchHook = std::function<void(const DispatchView&)>;
void set_before_dispatch(DispatchHook hook);
void set_after_dispatch(DispatchHook hook);

// Seconds that GPUStartTime and GPUEndTime say a dispatch took. Empty: what the simulator took.
void set_gpu_clock(std::function<double(const DispatchView&)> seconds);

// -- for the executor
void wait_while_paused();
DispatchHook before_dispatch();
DispatchHook after_dispatch();
std::function<double(const DispatchView&)> gpu_clock();

}  // namespace emberline::metal_sim
