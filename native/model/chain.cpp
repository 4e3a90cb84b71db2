#include "model/chain.h"

#include <new>

#include "base/try.h"

namespace emberline {

Chain::~Chain() {
  abandon();
  while (under_way()) {
    try {
      // What became of it is of no interest any more.
      static_cast<void>(wait().ok());
    } catch (const std::bad_alloc&) {
      // Nor that there was no room for its message.
    }
  }
}

Status Chain::submit(std::uint32_t steps) {
  if (steps < 1 || steps > kMaxChainSteps || steps > steps_left() ||
      next_ - oldest_ == kMaxSubmissionsUnderWay) {
    return Status(ErrorCode::kInternal,
                  "A chain was asked for more steps than its buffers hold; please report this.");
  }
  const std::uint32_t position = request_.position + submitted_;
  TRY_VALUE(const SubmissionId submission, device_.submit(table_, {.position = position,
                                                                   .rows = 1,
                                                                   .steps = steps,
                                                                   .stop = request_.stop,
                                                                   .continues = next_ > 0,
                                                                   .cancel = request_.cancel}));
  chunk(next_++) = {submission, position, steps};
  submitted_ += steps;
  return {};
}

Result<ChainResult> Chain::wait() {
  if (!under_way()) {
    return Status(ErrorCode::kInternal, "A chain was waited for that nobody submitted; please report this.");
  }
  const Chunk done = chunk(oldest_++);
  TRY_VALUE(const ReplayOutcome outcome, device_.wait(done.submission));
  const std::uint32_t completed = outcome.steps_completed;
  if (completed > done.steps)
    return Status(ErrorCode::kDeviceFailed, "The device ran more steps than asked for; please report this.");
  const std::span tokens = std::span(tokens_).first(completed);
  const std::span log_probs = std::span(log_probs_).first(completed);
  if (completed > 0) {
    TRY(history_.read_chosen(done.position + 1, tokens, log_probs));
  }
  return ChainResult{outcome, tokens, log_probs};
}

void Chain::abandon() {
  for (std::uint32_t number = oldest_; number != next_; ++number) device_.abandon(chunk(number).submission);
}

}  // namespace emberline
