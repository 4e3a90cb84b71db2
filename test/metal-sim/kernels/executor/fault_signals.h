// Turns the signals that a kernel raises (a guard page, a division by zero) into faults of the dispatch under
// way, and so the loop of a kernel that neither ends nor does anything which counts as a step.
#pragma once

#include <csignal>
#include <ctime>
#include <memory>

namespace emberline::metal_sim {

// Handlers are in place as long as this lives, on the host thread that made it and for the whole process;
// signals of other origin go to the handlers that were there before.
class FaultSignals {
 public:
  FaultSignals();
  ~FaultSignals();
  FaultSignals(const FaultSignals&) = delete;
  FaultSignals& operator=(const FaultSignals&) = delete;

 private:
  std::unique_ptr<char[]> stack_;
  stack_t previous_stack_{};
  timer_t watchdog_{};
  bool watching_ = false;
};

}  // namespace emberline::metal_sim
