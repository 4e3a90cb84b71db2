// Why a generation ended. A closed set; the names are part of the public surface.
#pragma once

#include <cstdint>

namespace emberline {

enum class StopReason : std::uint8_t {
  kEndToken,
  kLineEnd,
  kMaxTokens,
  kContextFull,
  kCancelled,
  kGrammar,
  kUnsure
};

// "end_token", "line_end", "max_tokens", "context_full", "cancelled", "grammar", "unsure". Never null.
const char* stop_reason_name(StopReason reason);

}  // namespace emberline
