// Whether the tokens and pages that a submission will read are there: the kernels take them as they are.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "device/checks/command_check.h"

namespace emberline::metal {

// Reads words that the GPU does not write meanwhile.
class HostWords {
 public:
  virtual ~HostWords() = default;
  // The u32 at `offset` bytes of a buffer; `offset` has been checked.
  virtual std::uint32_t word(BufferId buffer, std::uint64_t offset) const = 0;
};

// Of a request within the limits: unknown_token() or page_outside(). The tokens of a request that continues
// another are not looked at.
Status check_sources(const ReplayLimits& limits, const Replay& request, const BufferExtents& buffers,
                     const HostWords& words);

}  // namespace emberline::metal
