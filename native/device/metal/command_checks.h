// What makes a command of each op right, and what its replays have to keep to.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "device/device.h"
#include "device/metal/checked_command.h"

namespace emberline::metal {

// Token ids that an embedding takes from a buffer which the host fills.
struct TokenSource {
  Binding tokens;
  std::uint32_t vocabulary;
  bool patched;            // the first is at the submission's position, else at `position`
  std::uint32_t position;  // of one that is not patched
};

// The pages that a table of pages may name.
struct PageSource {
  Binding pages;
  BufferId cache;
  std::uint32_t page_stride;      // bytes
  std::uint64_t page_end;         // where the furthest part of page 0 ends that a command uses, bytes
  std::uint64_t fixed_positions;  // that commands without a patch use
  bool patched;                   // some command uses the positions of the submission
};

struct ReplayLimits {
  std::uint64_t position_limit = kMaxExtent;  // position + rows + steps - 1 <= position_limit
  std::vector<TokenSource> tokens;
  std::vector<PageSource> pages;  // one a table of pages and cache

  void limit_positions(std::uint64_t capacity);
};

// Checks `command` for batches of up to `rows` rows; where it is wrong, command.ok() is false afterwards.
void check_command(CheckedCommand& command, std::uint64_t rows, ReplayLimits& limits);

// Reads words that the GPU does not write meanwhile.
class HostWords {
 public:
  virtual ~HostWords() = default;
  // The u32 at `offset` bytes of a buffer; `offset` has been checked.
  virtual std::uint32_t word(BufferId buffer, std::uint64_t offset) const = 0;
};

// Whether a request keeps to the limits: INVALID_ARGUMENT, or DEVICE_FAILED where a page lies outside its
// cache. The tokens of a request that continues another are not looked at.
Status check_request(const ReplayLimits& limits, std::uint32_t max_rows, const Replay& request,
                     const BufferExtents& buffers, const HostWords& words);

}  // namespace emberline::metal
