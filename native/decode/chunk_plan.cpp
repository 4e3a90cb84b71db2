#include "decode/chunk_plan.h"

#include <algorithm>

namespace emberline {

namespace {

// Steps of `step_ms` each that `budget_ms` allows, 1..most. Written so that a step of no measurable time, or
// of an unusable one, leaves `most` as the only limit.
std::uint32_t within(double budget_ms, double step_ms, std::uint32_t most) {
  const bool limited = step_ms > 0 && step_ms * most > budget_ms;
  return limited ? std::clamp<std::uint32_t>(static_cast<std::uint32_t>(budget_ms / step_ms), 1, most) : most;
}

}  // namespace

ChunkPlan::ChunkPlan(double budget_ms, std::uint32_t most, double step_ms)
    : budget_ms_(budget_ms),
      most_(most),
      step_ms_(step_ms > 0 ? step_ms : 0),
      next_(step_ms > 0 ? within(budget_ms, step_ms, most) : 1) {}

void ChunkPlan::record(std::uint32_t steps, double ms) {
  step_ms_ = ms / steps;
  next_ = within(budget_ms_, step_ms_, std::min(next_ * 2, most_));
}

}  // namespace emberline
