// The tables of one KV cache and their replay: tokens in, KV rows and logits or tokens out.
//
// Positions are absolute. Evaluating n tokens at position p needs rows 0..p-1 of the cache valid and p + n <=
// context; it makes rows p..p+n-1 valid unless the outcome says cancelled. Driven by one thread at a time;
// the scratch buffers are shared by every forward pass of the model, so results are read before another pass
// runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/status.h"
#include "device/device.h"
#include "model/device_weights.h"
#include "model/hyperparameters.h"
#include "model/kv_cache.h"
#include "model/kv_pool.h"
#include "model/scratch.h"
#include "model/table_builder.h"
#include "model/weights.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

struct ChainResult {
  ReplayOutcome outcome;
  std::span<const TokenId> tokens;   // [steps_completed] produced tokens, in order; valid until the next call
  std::span<const float> log_probs;  // [steps_completed] under the softmax of the raw logits
};

// What the forward passes of a model share.
struct ModelOnDevice {
  Device& device;
  const Hyperparameters& hyperparameters;
  const Weights& weights;
  const DeviceWeights& device_weights;
  const Scratch& scratch;
  KvPool& kv_pool;
};

class ForwardPass {
 public:
  // Everything referred to outlives the pass. OUT_OF_MEMORY, DEVICE_FAILED.
  static Result<std::unique_ptr<ForwardPass>> create(const ModelOnDevice& model, std::uint32_t context);
  // A pass of its own with the same cache contents, whose memory both share until one of them writes.
  Result<std::unique_ptr<ForwardPass>> fork() const;

  std::uint32_t context() const { return cache_.context(); }
  std::uint32_t vocabulary() const { return model_.hyperparameters.vocabulary; }

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
  // Evaluates `token`, takes the argmax, evaluates that, `steps` times (1..kMaxChainSteps) or until a token
  // of `stop`.
  Result<ChainResult> chain(TokenId token, std::uint32_t position, std::uint32_t steps, StopSet stop,
                            const std::atomic<bool>* cancel);

  // Forgets positions from `end` on, and lets go of memory that held them alone.
  void truncate(std::uint32_t end) { cache_.truncate(end); }

  // `logits`: [vocabulary] of row `row` of the last submission.
  Status read_logits(std::uint32_t row, std::span<float> logits);

 private:
  ForwardPass(const ModelOnDevice& model, KvCache cache) : model_(model), cache_(std::move(cache)) {}
  static Result<std::unique_ptr<ForwardPass>> create(const ModelOnDevice& model, Result<KvCache> cache);
  Result<ReplayOutcome> replay(const DispatchTable& table, std::span<const TokenId> tokens, Replay request);

  const ModelOnDevice model_;
  KvCache cache_;
  DispatchTable prefill_, prefill_last_logits_, verify_, decode_, chain_;
  TokenId chain_tokens_[kMaxChainSteps] = {};
  float chain_log_probs_[kMaxChainSteps] = {};
};

}  // namespace emberline
