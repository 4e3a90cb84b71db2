#include "decode/stop_reason.h"

namespace emberline {

const char* stop_reason_name(StopReason reason) {
  switch (reason) {
    case StopReason::kEndToken: return "end_token";
    case StopReason::kLineEnd: return "line_end";
    case StopReason::kMaxTokens: return "max_tokens";
    case StopReason::kContextFull: return "context_full";
    case StopReason::kCancelled: return "cancelled";
    case StopReason::kGrammar: return "grammar";
    case StopReason::kUnsure: return "unsure";
  }
  return "max_tokens";
}

}  // namespace emberline
