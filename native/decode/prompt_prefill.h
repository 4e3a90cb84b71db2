// Fills the KV cache for a text, keeping every row whose token is unchanged from the front, as far as the
// pass can go on behind them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/status.h"
#include "decode/progress.h"
#include "model/forward_pass.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

struct PrefillOutcome {
  std::uint32_t reused = 0;  // tokens whose rows were kept
  bool cancelled = false;    // slices completed before the cancel stay in the cache
};

class PromptPrefill {
 public:
  // `cached`: the tokens whose rows are in the pass's cache already.
  PromptPrefill(ForwardPass& pass, std::vector<TokenId> cached) : pass_(pass), cached_(std::move(cached)) {}

  const std::vector<TokenId>& cached() const { return cached_; }

  // How many of the first of `ids` the pass can go on behind without reading them again.
  std::size_t reusable(std::span<const TokenId> ids) const;

  // Afterwards rows 0..ids.size()-1 hold `ids`, and logits row 0 those of the last: it is always evaluated,
  // so at most ids.size() - 1 rows are reused. 1 <= ids.size() <= context. On an error what completed is
  // kept.
  Result<PrefillOutcome> run(std::span<const TokenId> ids, const std::atomic<bool>* cancel,
                             Progress* progress = nullptr) {
    return fill(ids, ids.size() - 1, true, cancel, progress);
  }

  // The same without logits: all rows may be reused, and `ids` may be empty. Rows behind are forgotten.
  Result<PrefillOutcome> run_without_logits(std::span<const TokenId> ids, const std::atomic<bool>* cancel) {
    return fill(ids, ids.size(), false, cancel, nullptr);
  }

  // Rows that decoding made valid behind those of the prompt.
  void append(std::span<const TokenId> ids) { cached_.insert(cached_.end(), ids.begin(), ids.end()); }

 private:
  Result<PrefillOutcome> fill(std::span<const TokenId> ids, std::size_t most_reused, bool logits,
                              const std::atomic<bool>* cancel, Progress* progress);
  void forget_from(std::size_t end);

  ForwardPass& pass_;
  std::vector<TokenId> cached_;  // element i is the token in row i of the cache
};

}  // namespace emberline
