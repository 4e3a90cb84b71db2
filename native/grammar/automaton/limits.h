// What a state space may use up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"

namespace emberline::grammar {

struct StateBounds {
  std::size_t configurations = 4096;  // of one state, and of what is gone through on the way to it
  std::size_t bytes = 48u << 20;      // of all stacks, states and remembered steps
  std::uint32_t depth = 512;          // of a stack: what needs a deeper one is not allowed
};

// The bounds, and whether one was hit.
struct Limits {
  StateBounds bounds;
  Status status;

  void too_large(const char* what) {
    if (!status.ok()) return;
    status = Status(ErrorCode::kGrammarTooLarge,
                    std::string("The grammar needs ") + what + " than the engine allows; make it simpler.");
  }
};

}  // namespace emberline::grammar
