#include "model/forward_pass.h"

#include <utility>

#include "model/hyperparameters.h"

namespace emberline {

ForwardPass::ForwardPass(Device& device, const Scratch& scratch, KvCache cache, std::uint32_t vocabulary)
    : device_(device), scratch_(scratch), cache_(std::move(cache)), vocabulary_(vocabulary) {}

Result<std::unique_ptr<ForwardPass>> ForwardPass::create(Device& device, const Hyperparameters& h,
                                                         const Weights& weights,
                                                         const DeviceWeights& device_weights,
                                                         const Scratch& scratch, std::uint32_t context) {
  Result<KvCache> cache = KvCache::create(device, h, context);
  if (!cache.ok()) return cache.error();
  std::unique_ptr<ForwardPass> pass(new ForwardPass(device, scratch, std::move(cache).value(), h.vocabulary));
  const TablePlan plan{device, h, weights, device_weights, scratch, pass->cache_};
  pass->prefill_ = build_table(plan, TableEnd::kKeysAndValues, kPrefillRows);
  pass->prefill_last_logits_ = build_table(plan, TableEnd::kLastRowLogits, kPrefillRows);
  pass->verify_ = build_table(plan, TableEnd::kAllRowsLogits, kVerifyRows);
  pass->decode_ = build_table(plan, TableEnd::kAllRowsLogits, 1);
  pass->chain_ = build_table(plan, TableEnd::kArgmax, 1);
  for (const DispatchTable* table :
       {&pass->prefill_, &pass->prefill_last_logits_, &pass->verify_, &pass->decode_, &pass->chain_}) {
    const Status status = device.prepare(*table);
    if (!status.ok()) return status;
  }
  return pass;
}

Result<ReplayOutcome> ForwardPass::replay(const DispatchTable& table, std::span<const TokenId> tokens,
                                          Replay request) {
  const std::uint64_t end = static_cast<std::uint64_t>(request.position) + tokens.size() - 1 + request.steps;
  if (tokens.empty() || tokens.size() > table.max_rows || end > context()) {
    return Status(ErrorCode::kInternal,
                  "A forward pass was asked for rows outside its context; please report this.");
  }
  for (const TokenId token : tokens) {
    if (token >= vocabulary_) {
      return Status(ErrorCode::kInvalidArgument,
                    "A token id is outside the model's vocabulary; pass ids of this model.");
    }
  }
  const Status written = device_.write(scratch_.tokens.id(), 0, tokens.data(), tokens.size_bytes());
  if (!written.ok()) return written;
  request.rows = static_cast<std::uint32_t>(tokens.size());
  return device_.replay(table, request);
}

Result<ReplayOutcome> ForwardPass::prefill(std::span<const TokenId> tokens, std::uint32_t position,
                                           const std::atomic<bool>* cancel) {
  return replay(prefill_, tokens, {.position = position, .stop = {}, .cancel = cancel});
}

Result<ReplayOutcome> ForwardPass::prefill_last_logits(std::span<const TokenId> tokens,
                                                       std::uint32_t position,
                                                       const std::atomic<bool>* cancel) {
  return replay(prefill_last_logits_, tokens, {.position = position, .stop = {}, .cancel = cancel});
}

Result<ReplayOutcome> ForwardPass::verify(std::span<const TokenId> tokens, std::uint32_t position,
                                          const std::atomic<bool>* cancel) {
  return replay(verify_, tokens, {.position = position, .stop = {}, .cancel = cancel});
}

Result<ReplayOutcome> ForwardPass::decode(TokenId token, std::uint32_t position,
                                          const std::atomic<bool>* cancel) {
  return replay(decode_, {&token, 1}, {.position = position, .stop = {}, .cancel = cancel});
}

Result<ChainResult> ForwardPass::chain(TokenId token, std::uint32_t position, std::uint32_t steps,
                                       StopSet stop, const std::atomic<bool>* cancel) {
  if (steps < 1 || steps > kMaxChainSteps) {
    return Status(ErrorCode::kInternal,
                  "A chain was asked for more steps than its buffers hold; please report this.");
  }
  Result<ReplayOutcome> outcome =
      replay(chain_, {&token, 1}, {.position = position, .steps = steps, .stop = stop, .cancel = cancel});
  if (!outcome.ok()) return outcome.error();
  const std::uint32_t completed = outcome.value().steps_completed;
  if (completed > steps)
    return Status(ErrorCode::kDeviceFailed, "The device ran more steps than asked for; please report this.");
  if (completed > 0) {
    Status read =
        device_.read(scratch_.tokens.id(), sizeof(TokenId), chain_tokens_, completed * sizeof(TokenId));
    if (read.ok())
      read = device_.read(scratch_.log_probs.id(), 0, chain_log_probs_, completed * sizeof(float));
    if (!read.ok()) return read;
  }
  return ChainResult{outcome.value(), {chain_tokens_, completed}, {chain_log_probs_, completed}};
}

Status ForwardPass::read_logits(std::uint32_t row, std::span<float> logits) {
  if (row >= kVerifyRows || logits.size() != vocabulary_) {
    return Status(ErrorCode::kInternal, "Logits of the wrong shape were asked for; please report this.");
  }
  return device_.read(scratch_.logits.id(), logits.size_bytes() * row, logits.data(), logits.size_bytes());
}

}  // namespace emberline
