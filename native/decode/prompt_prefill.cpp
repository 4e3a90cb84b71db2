#include "decode/prompt_prefill.h"

#include <algorithm>

#include "base/cancel.h"
#include "base/schedule.h"
#include "base/try.h"

namespace emberline {

void PromptPrefill::forget_from(std::size_t end) {
  cached_.resize(end);
  pass_.truncate(static_cast<std::uint32_t>(end));
}

std::size_t PromptPrefill::reusable(std::span<const TokenId> ids) const {
  const auto differs = std::ranges::mismatch(ids, cached_).in1;
  const auto same = static_cast<std::size_t>(differs - ids.begin());
  // What stands further back than layers with a window remember is read again from the start.
  return pass_.can_continue(static_cast<std::uint32_t>(same)) ? same : 0;
}

Result<PrefillOutcome> PromptPrefill::fill(std::span<const TokenId> ids, std::size_t most_reused, bool logits,
                                           const std::atomic<bool>* cancel, Progress* progress) {
  std::size_t done = reusable(ids.first(most_reused));
  PrefillOutcome outcome{static_cast<std::uint32_t>(done), false};
  while (done < ids.size()) {
    if (progress != nullptr) progress->prompt_tokens = static_cast<std::uint32_t>(done);
    const std::span<const TokenId> slice =
        ids.subspan(done, std::min<std::size_t>(kPrefillRows, ids.size() - done));
    const std::uint32_t position = static_cast<std::uint32_t>(done);
    const bool last = logits && done + slice.size() == ids.size();
    schedule_point("prefill.slice");
    if (is_cancelled(cancel)) {
      outcome.cancelled = true;
      return outcome;
    }
    // What lies behind is about to be overwritten.
    forget_from(done);
    TRY_VALUE(const ReplayOutcome replayed, last ? pass_.prefill_last_logits(slice, position, cancel)
                                                 : pass_.prefill(slice, position, cancel));
    if (replayed.cancelled) {
      outcome.cancelled = true;
      return outcome;
    }
    append(slice);
    done += slice.size();
  }
  if (cached_.size() > done) forget_from(done);
  return outcome;
}

}  // namespace emberline
