// Where drafts come from: tokens guessed to follow, which the model then verifies in one batch.
//
// Source: Chen, Borgeaud, Irving, Lespiau, Sifre and Jumper, "Accelerating large language model decoding with
// speculative sampling" (arXiv 2302.01318); Leviathan, Kalman and Matias, "Fast inference from transformers
// via speculative decoding" (ICML 2023).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "sampling/distribution.h"
#include "sampling/sampling_params.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

// Reused from draft to draft.
struct DraftTokens {
  std::vector<TokenId> tokens;
  // What each token was drawn from; empty where nothing was left to chance.
  std::vector<Distribution> laws;
  // Tokens of the sequence that a draft model had to evaluate before it could draft: after a change of text,
  // many.
  std::uint32_t tokens_read = 0;

  void clear() {
    tokens.clear();
    laws.clear();
    tokens_read = 0;
  }
};

class Draft {
 public:
  virtual ~Draft() = default;

  // At most `most` tokens that may follow `sequence` (prompt and generated tokens); none where it has no
  // guess, fewer where `cancel` was seen. DEVICE_FAILED, LOGITS_NOT_FINITE.
  virtual Status propose(std::span<const TokenId> sequence, std::uint32_t most,
                         const SamplingParams& sampling, const std::atomic<bool>* cancel,
                         DraftTokens& out) = 0;
  // Tokens of `sequence` that it has to evaluate before it can draft; none where drafting costs no more than
  // looking.
  virtual std::size_t unread(std::span<const TokenId>) const { return 0; }
};

}  // namespace emberline
