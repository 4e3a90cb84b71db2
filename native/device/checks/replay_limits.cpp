#include "device/checks/replay_limits.h"

#include <algorithm>

namespace emberline {

void ReplayLimits::limit_positions(std::uint64_t end) {
  position_limit = std::min(position_limit, end);
}

void ReplayLimits::add(const ReplayLimits& command) {
  limit_positions(command.position_limit);
  tokens.insert(tokens.end(), command.tokens.begin(), command.tokens.end());
  for (const PageSource& source : command.pages) {
    const auto same = std::find_if(pages.begin(), pages.end(), [&](const PageSource& other) {
      return other.pages == source.pages && other.cache == source.cache &&
             other.page_stride == source.page_stride;
    });
    if (same == pages.end()) {
      pages.push_back(source);
      continue;
    }
    same->page_end = std::max(same->page_end, source.page_end);
    same->fixed_positions = std::max(same->fixed_positions, source.fixed_positions);
    same->patched = same->patched || source.patched;
  }
}

Status check_request(const ReplayLimits& limits, const Replay& request) {
  if (request.rows < 1 || request.rows > limits.max_rows) {
    return Status(ErrorCode::kInvalidArgument, "The batch does not fit the dispatch table.");
  }
  if (request.steps < 1 || (request.steps > 1 && request.rows != 1)) {
    return Status(ErrorCode::kInvalidArgument, "A chain must have at least one step and one row a step.");
  }
  if (std::uint64_t{request.position} + request.rows + request.steps - 1 > limits.position_limit) {
    return Status(ErrorCode::kInvalidArgument, "The batch reaches past the end of the context.");
  }
  return Status();
}

Status unknown_token() {
  return Status(ErrorCode::kInvalidArgument, "A token is outside the model's vocabulary.");
}

Status page_outside() {
  return Status(ErrorCode::kDeviceFailed, "A page of the KV cache lies outside it; please report this.");
}

Status logits_not_finite() {
  return Status(ErrorCode::kLogitsNotFinite,
                "The model computed a value that is not a finite number; its file may be damaged.");
}

}  // namespace emberline
