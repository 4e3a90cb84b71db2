// Runs the commands of a command buffer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/control/injections.h"
#include "host/execution/command_list.h"

namespace emberline::metal_sim {

struct ExecutionOutcome {
  std::optional<SubmissionError> error;
  std::string sentence;    // of the error
  double gpu_seconds = 0;  // by gpu_clock, or as long as it took
};

// Runs `list` to its end or its first fault, as submission number `submission`. `may_block`: an event that
// has not been signalled is waited for; else that is a deadlock.
ExecutionOutcome execute(const CommandList& list, std::uint64_t submission, bool may_block);

}  // namespace emberline::metal_sim
