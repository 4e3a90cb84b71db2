// Drafts from a second, smaller model with the same tokenizer.
//
// It keeps a KV cache of its own: of a sequence it evaluates what differs from the one before, so that a
// rejected draft costs nothing but itself. A greedy draft is a chain on the device; a sampled one is drawn
// token by token with the request's own sampling settings, by the numbers of RandomStream::kDraft, and says
// what each token was drawn from.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "decode/prompt_prefill.h"
#include "decode/speculation/draft.h"
#include "model/forward_pass.h"
#include "sampling/sampler.h"

namespace emberline {

class DraftModel final : public Draft {
 public:
  // `pass`: of the draft model, with nothing in its cache. `vocabulary`: of the target's logits, which may
  // have more or fewer rows behind the tokenizer's tokens than the draft's: only what both have is drafted.
  // OUT_OF_MEMORY.
  static Result<std::unique_ptr<DraftModel>> create(std::unique_ptr<ForwardPass> pass,
                                                    std::uint32_t vocabulary, const SamplingKernels& kernels);
  // Another one that has seen the same text, whose memory both share until one of them writes.
  // OUT_OF_MEMORY, DEVICE_FAILED.
  Result<std::unique_ptr<DraftModel>> fork() const;

  // As many tokens as the context has room for; none behind a sequence that is longer, or that has a token
  // which the draft model does not know. Also INVALID_ARGUMENT, ALL_TOKENS_MASKED, OUT_OF_MEMORY.
  Status propose(std::span<const TokenId> sequence, std::uint32_t most, const SamplingParams& sampling,
                 const std::atomic<bool>* cancel, DraftTokens& out) override;
  std::size_t unread(std::span<const TokenId> sequence) const override;

 private:
  DraftModel(std::unique_ptr<ForwardPass> pass, std::vector<TokenId> cached, std::uint32_t vocabulary,
             const SamplingKernels& kernels);
  void reserve();
  bool can_read(std::span<const TokenId> sequence) const;
  Status draft_greedily(TokenId last, std::uint32_t most, const std::atomic<bool>* cancel, DraftTokens& out);
  Status draft_step_by_step(std::span<const TokenId> sequence, std::uint32_t most,
                            const SamplingParams& sampling, const std::atomic<bool>* cancel,
                            DraftTokens& out);
  // The token that follows history_, and its law.
  Result<TokenId> draw(const SamplingParams& sampling);

  std::unique_ptr<ForwardPass> pass_;
  PromptPrefill prefill_;
  std::uint32_t vocabulary_;  // of tokens that may be drafted
  Sampler sampler_;
  Distribution law_;              // of the last draw
  std::vector<float> logits_;     // [the draft's vocabulary]
  std::vector<TokenId> history_;  // the sequence and what was drafted behind it
};

}  // namespace emberline
