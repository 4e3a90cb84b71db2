// What a submission came to, as the chain's state says behind it.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "device/device.h"

namespace emberline::metal {

// ChainState::halted.
enum class Halt : std::uint32_t { kNone = 0, kStopToken = 1, kCancelled = 2, kLogitsNotFinite = 3 };

// ChainState::end before any command has written it.
inline constexpr std::uint32_t kNoEnd = 0xFFFFFFFFu;

// Both words as read once the submission was through. One that continues it may run by then and end the chain
// at any moment, at or behind the position where this one ends, so whatever mixture of old and new is read
// means the same for this one.
struct ChainEnd {
  Halt halt = Halt::kNone;
  std::uint32_t end =
      kNoEnd;  // the first position that is not evaluated; means something where halt is not kNone
};

// LOGITS_NOT_FINITE where that ended it, here or before. `chained`: its kernels looked at the chain's state;
// otherwise they all ran, and of `chain` only kLogitsNotFinite means something.
Result<ReplayOutcome> outcome_of(const Replay& request, const ChainEnd& chain, bool chained);

}  // namespace emberline::metal
