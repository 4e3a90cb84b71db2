// Counts that are so far from their bounds that somebody who looks only some bytes ahead need not know them.
#pragma once

#include <cstdint>

#include "grammar/program.h"

namespace emberline::grammar {

inline constexpr std::uint32_t kFarBelow = 0xFFFFFFFEu;  // a count further below `least` than anybody looks
inline constexpr std::uint32_t kFarAbove =
    0xFFFFFFFDu;  // one that `least` allows and that is as far below `most`

inline bool is_far(std::uint32_t count) {
  return count == kFarBelow || count == kFarAbove;
}

// The bounds of a count that grows by one at a time, at most once a byte.
struct CountBounds {
  std::uint32_t least = 0;
  std::uint32_t most = kUnbounded;
  std::uint64_t reach = 0;  // what is further from a bound than this is far from it
  std::uint32_t first = 0;  // no smaller count is far

  // What stands for `count`: kFarBelow, kFarAbove, or the count itself.
  std::uint32_t distant(std::uint32_t count) const {
    if (is_far(count) || count < first) return count;
    if (count + reach < least) return kFarBelow;
    if (count >= least && most != kUnbounded && count + reach < most) return kFarAbove;
    return count;
  }
  // The first count for which `far` no longer stands. Precondition: it stands for some.
  std::uint32_t end(std::uint32_t far) const {
    return static_cast<std::uint32_t>((far == kFarBelow ? least : most) - reach);
  }
};

}  // namespace emberline::grammar
