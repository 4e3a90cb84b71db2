// What replays of a checked table have to keep to.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "device/device.h"

namespace emberline {

// Extents of any matrix, cache or batch a plan admits; so small that no product of an extent, a row count and
// an element size overflows 64 bits.
inline constexpr std::uint32_t kMaxExtent = 1u << 24;

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
  std::uint32_t max_rows = 1;
  std::uint64_t position_limit = kMaxExtent;  // position + rows + steps - 1 <= position_limit
  std::vector<TokenSource> tokens;
  std::vector<PageSource> pages;  // one a table of pages and cache

  void limit_positions(std::uint64_t end);
  // Those of one more command.
  void add(const ReplayLimits& command);
};

// INVALID_ARGUMENT for a request whose rows, steps or positions are not within the limits. What its tokens
// and pages are, a device sees to itself.
Status check_request(const ReplayLimits& limits, const Replay& request);

// What a device reports that met such a value before or while it ran.
Status unknown_token();      // INVALID_ARGUMENT
Status page_outside();       // DEVICE_FAILED
Status logits_not_finite();  // LOGITS_NOT_FINITE

}  // namespace emberline
