// A chain in chunks: evaluates a token, takes the argmax or a sample, evaluates that, and so on, without the
// host in between.
//
// A chunk is one submission. Two may be under way, so that a device with a queue of its own goes on with the
// next one while the host looks at the last.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "base/status.h"
#include "device/device.h"
#include "model/scratch.h"
#include "model/token_history.h"

namespace emberline {

struct ChainResult {
  ReplayOutcome outcome;
  std::span<const TokenId> tokens;   // [steps_completed] produced tokens, in order; valid until the next call
  std::span<const float> log_probs;  // [steps_completed] under the softmax of the raw logits
};

// What a chain begins with, and when it ends.
struct ChainRequest {
  std::uint32_t position = 0;  // of the first token that is evaluated
  std::uint32_t steps = 1;     // at most, of all chunks together; >= 1
  StopSet stop;                // ends it after the step that produced one of these; outlives the chain
  const std::atomic<bool>* cancel = nullptr;  // outlives the chain
  const SamplingBlock* sampling = nullptr;    // null: greedy. Where ForwardPass::samples() alone
};

class Chain {
 public:
  // `history` holds the first token; the KV cache is writable for all steps. All outlive the chain.
  Chain(Device& device, const DispatchTable& table, const TokenHistory& history, const ChainRequest& request)
      : device_(device), table_(table), history_(history), request_(request) {}
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;
  ~Chain();  // abandons what is under way, and waits for it

  // Steps that have not been submitted.
  std::uint32_t steps_left() const { return request_.steps - submitted_; }
  bool under_way() const { return oldest_ != next_; }

  // Submits the next `steps` steps, 1..kMaxChainSteps and at most steps_left(), while fewer than two chunks
  // are under way. INTERNAL otherwise.
  Status submit(std::uint32_t steps);
  // Waits for the oldest chunk under way. A chunk behind one that stopped or was cancelled has done nothing.
  // LOGITS_NOT_FINITE, DEVICE_FAILED.
  Result<ChainResult> wait();
  // What is under way is not wanted any more.
  void abandon();

 private:
  struct Chunk {
    SubmissionId submission;
    std::uint32_t position, steps;
  };
  Chunk& chunk(std::uint32_t number) { return chunks_[number % kMaxSubmissionsUnderWay]; }

  Device& device_;
  const DispatchTable& table_;
  const TokenHistory& history_;
  const ChainRequest request_;
  std::uint32_t submitted_ = 0;          // steps
  std::uint32_t oldest_ = 0, next_ = 0;  // chunks
  Chunk chunks_[kMaxSubmissionsUnderWay] = {};
  TokenId tokens_[kMaxChainSteps] = {};
  float log_probs_[kMaxChainSteps] = {};
};

}  // namespace emberline
