#include "host/control/injections.h"

#include <mutex>
#include <vector>

#include "host/control/reset.h"

namespace emberline::metal_sim {
namespace {

struct State {
  std::mutex lock;
  bool device_lost = false;
  std::vector<SubmissionFault> submissions;
  std::vector<OperationFault> operations;
};

State& state() {
  static auto* const made = new State;
  return *made;
}

}  // namespace

void inject(const SubmissionFault& fault) {
  const std::lock_guard guard(state().lock);
  state().submissions.push_back(fault);
}

void inject(const OperationFault& fault) {
  const std::lock_guard guard(state().lock);
  state().operations.push_back(fault);
}

void clear_injections() {
  const std::lock_guard guard(state().lock);
  state().device_lost = false;
  state().submissions.clear();
  state().operations.clear();
}

bool operation_fails(Operation operation, const std::string& kernel) {
  const std::lock_guard guard(state().lock);
  for (OperationFault& fault : state().operations) {
    if (fault.operation != operation || fault.times == 0) continue;
    if (!fault.kernel.empty() && fault.kernel != kernel) continue;
    if (fault.skip > 0) {
      fault.skip--;
      continue;
    }
    fault.times--;
    return true;
  }
  return false;
}

std::optional<SubmissionFault> submission_fault() {
  const std::lock_guard guard(state().lock);
  if (state().device_lost) return SubmissionFault{.error = SubmissionError::kDeviceRemoved};
  std::optional<SubmissionFault> due;
  auto& waiting = state().submissions;
  for (auto at = waiting.begin(); at != waiting.end();) {
    if (at->skip > 0) {
      at->skip--;
    } else if (!due) {
      due = *at;
      at = waiting.erase(at);
      continue;
    }
    ++at;
  }
  if (due && due->error == SubmissionError::kDeviceRemoved) state().device_lost = true;
  return due;
}

void reset_injections() {
  clear_injections();
}

}  // namespace emberline::metal_sim
