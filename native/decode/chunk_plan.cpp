#include "decode/chunk_plan.h"

#include <algorithm>

namespace emberline {

void ChunkPlan::record(std::uint32_t steps, double ms) {
  const double step_ms = ms / steps;
  const std::uint32_t doubled = std::min(next_ * 2, most_);
  // Written so that a step of no measurable time, or of an unusable one, leaves the doubling as the only
  // limit.
  const bool limited = step_ms > 0 && step_ms * doubled > budget_ms_;
  next_ = limited ? std::clamp<std::uint32_t>(static_cast<std::uint32_t>(budget_ms_ / step_ms), 1, doubled)
                  : doubled;
}

}  // namespace emberline
