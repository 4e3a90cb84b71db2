#include "device/metal/chain_outcome.h"

#include "device/checks/replay_limits.h"

namespace emberline::metal {

Result<ReplayOutcome> outcome_of(const Replay& request, const ChainEnd& chain, bool chained) {
  ReplayOutcome outcome;
  outcome.steps_completed = request.steps;
  if (chain.halt == Halt::kNone) return outcome;
  if (!chained) {
    if (chain.halt == Halt::kLogitsNotFinite) return logits_not_finite();
    return outcome;
  }
  const std::uint64_t first = request.position, past = first + request.rows + request.steps - 1;
  const std::uint64_t end = chain.end;
  // A batch of rows is one step.
  if (end < past) {
    outcome.steps_completed = request.rows > 1 || end <= first ? 0 : static_cast<std::uint32_t>(end - first);
  }
  switch (chain.halt) {
    case Halt::kNone: break;
    // The step that produced the token counts.
    case Halt::kStopToken: outcome.stopped = end <= past; break;
    // The step that saw the flag, or computed what is not finite, does not.
    case Halt::kCancelled: outcome.cancelled = end < past; break;
    case Halt::kLogitsNotFinite:
      if (end < past) return logits_not_finite();
      break;
  }
  return outcome;
}

}  // namespace emberline::metal
