#include "host/control/failures.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "host/control/reset.h"

namespace emberline::metal_sim {
namespace {

struct State {
  std::mutex lock;
  FailurePolicy policy = FailurePolicy::kAbort;
  std::vector<Failure> failures;
};

State& state() {
  static auto* const made = new State;
  return *made;
}

}  // namespace

const char* failure_name(FailureKind kind) {
  switch (kind) {
    case FailureKind::kObjectiveC: return "Objective-C";
    case FailureKind::kApiUse: return "API use";
    case FailureKind::kLifetime: return "lifetime";
    case FailureKind::kMissingBarrier: return "missing barrier";
    case FailureKind::kKernelFault: return "kernel fault";
    case FailureKind::kDeadlock: return "deadlock";
  }
  return "unknown";
}

void set_failure_policy(FailurePolicy policy) {
  const std::lock_guard guard(state().lock);
  state().policy = policy;
}

std::vector<Failure> take_failures() {
  const std::lock_guard guard(state().lock);
  return std::exchange(state().failures, {});
}

void report_failure(FailureKind kind, std::string sentence) {
  const std::lock_guard guard(state().lock);
  if (state().policy == FailurePolicy::kAbort) {
    std::fprintf(stderr, "simulated Metal, %s: %s\n", failure_name(kind), sentence.c_str());
    std::abort();
  }
  state().failures.push_back({kind, std::move(sentence)});
}

void reset_failures() {
  const std::lock_guard guard(state().lock);
  state().policy = FailurePolicy::kAbort;
  state().failures.clear();
}

}  // namespace emberline::metal_sim
