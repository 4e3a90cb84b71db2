#include "engine/prompt_prefill.h"

#include <algorithm>
#include <cstddef>

namespace emberline {

Result<PrefillOutcome> PromptPrefill::run(std::span<const TokenId> ids, const std::atomic<bool>* cancel) {
  const std::size_t comparable = std::min(cached_.size(), ids.size() - 1);
  std::size_t done = 0;
  while (done < comparable && cached_[done] == ids[done]) ++done;
  PrefillOutcome outcome{static_cast<std::uint32_t>(done), false};
  while (done < ids.size()) {
    const std::span<const TokenId> slice =
        ids.subspan(done, std::min<std::size_t>(kPrefillRows, ids.size() - done));
    const std::uint32_t position = static_cast<std::uint32_t>(done);
    const bool last = done + slice.size() == ids.size();
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) {
      outcome.cancelled = true;
      return outcome;
    }
    // What lies behind is about to be overwritten.
    cached_.resize(done);
    pass_.truncate(position);
    const Result<ReplayOutcome> replayed =
        last ? pass_.prefill_last_logits(slice, position, cancel) : pass_.prefill(slice, position, cancel);
    if (!replayed.ok()) return replayed.error();
    if (replayed.value().cancelled) {
      outcome.cancelled = true;
      return outcome;
    }
    append(slice);
    done += slice.size();
  }
  return outcome;
}

}  // namespace emberline
