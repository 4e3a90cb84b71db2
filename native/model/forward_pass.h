// The tables of one KV cache and their replay: tokens in, KV rows and logits or tokens out.
//
// Positions are absolute. Evaluating n tokens at position p needs rows 0..p-1 of the cache valid and p + n <=
// context; it makes rows p..p+n-1 valid unless the outcome says cancelled. Driven by one thread at a time;
// the scratch buffers are shared by every forward pass of the model, so results are read before another pass
// runs.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/status.h"
#include "device/device.h"
#include "model/chain.h"
#include "model/device_weights.h"
#include "model/hyperparameters.h"
#include "model/kv_cache.h"
#include "model/kv_memory.h"
#include "model/scratch.h"
#include "model/table_builder.h"
#include "model/token_history.h"
#include "model/weights.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

// What the forward passes of a model share.
struct ModelOnDevice {
  Device& device;
  const Hyperparameters& hyperparameters;
  const Weights& weights;
  const DeviceWeights& device_weights;
  const Scratch& scratch;
  KvMemory& kv_memory;
};

class ForwardPass {
 public:
  // Everything referred to outlives the pass. OUT_OF_MEMORY, DEVICE_FAILED.
  static Result<std::unique_ptr<ForwardPass>> create(const ModelOnDevice& model, std::uint32_t context);
  // A pass of its own with the same cache contents, whose memory both share until one of them writes.
  Result<std::unique_ptr<ForwardPass>> fork() const;

  std::uint32_t context() const { return cache_.context(); }
  std::uint32_t vocabulary() const { return model_.hyperparameters.vocabulary; }
  // Steps that one submission of a chain should have at most.
  std::uint32_t chain_steps() const { return std::clamp(model_.device.chain_steps(), 1u, kMaxChainSteps); }
  // Fewer make a submission's own cost felt.
  std::uint32_t least_chain_steps() const {
    return std::clamp(model_.device.least_chain_steps(), 1u, chain_steps());
  }
  // Whether chains can be sampled.
  bool samples() const { return model_.device.offers(Op::kGumbel, 1); }

  // Fills KV rows only. 1..kPrefillRows tokens.
  Result<ReplayOutcome> prefill(std::span<const TokenId> tokens, std::uint32_t position,
                                const std::atomic<bool>* cancel);
  // As prefill; then logits row 0 holds those of the last token.
  Result<ReplayOutcome> prefill_last_logits(std::span<const TokenId> tokens, std::uint32_t position,
                                            const std::atomic<bool>* cancel);
  // 1..kVerifyRows tokens; logits row r holds those of token r.
  Result<ReplayOutcome> verify(std::span<const TokenId> tokens, std::uint32_t position,
                               const std::atomic<bool>* cancel);
  // One token; logits row 0 holds its.
  Result<ReplayOutcome> decode(TokenId token, std::uint32_t position, const std::atomic<bool>* cancel);
  // A chain that begins with `token`, none of whose steps is submitted yet. Nothing else may be asked of any
  // pass of the device while it lives. INTERNAL where it would leave the context, OUT_OF_MEMORY.
  Result<std::unique_ptr<Chain>> begin_chain(TokenId token, const ChainRequest& request);

  // Forgets positions from `end` on, and lets go of memory that held them alone. can_continue(end) holds.
  void truncate(std::uint32_t end) { cache_.truncate(end); }
  // Whether tokens can be evaluated from `position` on, with what comes before it as it is (KvCache).
  bool can_continue(std::uint32_t position) const { return cache_.can_continue(position); }
  std::uint64_t held_bytes() const { return cache_.held_bytes(); }  // of keys and values

  // What the device does for a batch of `rows` rows: 1, a chain's step, whose token `sampled` draws from the
  // law instead of the argmax (on a device that does not sample, for the host to draw from); up to
  // kVerifyRows, a verification; up to kPrefillRows, the last slice of a prompt. INVALID_ARGUMENT for other
  // rows, or more than one sampled.
  Result<std::vector<DispatchDescription>> describe(std::uint32_t rows, bool sampled) const;

  // `logits`: [vocabulary] of row `row` of the last submission.
  Status read_logits(std::uint32_t row, std::span<float> logits);

 private:
  ForwardPass(const ModelOnDevice& model, KvCache cache, TokenHistory history)
      : model_(model), cache_(std::move(cache)), history_(std::move(history)) {}
  static Result<std::unique_ptr<ForwardPass>> create(const ModelOnDevice& model, Result<KvCache> cache,
                                                     Result<TokenHistory> history);
  // Puts `tokens` where the embedding reads them, and makes [position, end) of the cache writable.
  Status prepare_positions(std::span<const TokenId> tokens, std::uint32_t position, std::uint64_t end);
  Result<ReplayOutcome> replay(const DispatchTable& table, std::span<const TokenId> tokens,
                               std::uint32_t position, const std::atomic<bool>* cancel);

  const DispatchTable& table_of(std::uint32_t rows, bool sampled) const;

  const ModelOnDevice model_;
  KvCache cache_;
  TokenHistory history_;
  DispatchTable prefill_, prefill_last_logits_, verify_, decode_, chain_, sampled_chain_;
};

}  // namespace emberline
