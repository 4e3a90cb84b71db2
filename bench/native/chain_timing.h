// Times chains of decode steps below the engine's JavaScript surface.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "model/forward_pass.h"

namespace emberline {

// The longest chain that is timed, steps.
inline constexpr std::uint32_t kMostTimedSteps = 128;

// Median milliseconds of a chain of `steps` behind `position` tokens, the first of which evaluates `first`.
// As errors of Chain.
Result<double> time_chain(ForwardPass& pass, TokenId first, std::uint32_t position, std::uint32_t steps);

// What skipping `steps` - 1 steps takes that lie behind a stop in the first one, in the same submission:
// median milliseconds of such a chain less those of one of a single step. `vocabulary`: tokens, all of which
// stop.
Result<double> time_behind_stop(ForwardPass& pass, TokenId first, std::uint32_t position, std::uint32_t steps,
                                std::uint32_t vocabulary);

}  // namespace emberline
