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

Result<PrefillOutcome> PromptPrefill::fill(std::span<const TokenId> ids, std::size_t most_reused, bool logits,
                                           const std::atomic<bool>* cancel, Progress* progress) {
  const std::size_t comparable = std::min(cached_.size(), most_reused);
  std::size_t done = 0;
  while (done < comparable && cached_[done] == ids[done]) ++done;
  // What stands further back than layers with a window remember is read again from the start.
  if (!pass_.can_continue(static_cast<std::uint32_t>(done))) done = 0;
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
