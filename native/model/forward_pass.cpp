#include "model/forward_pass.h"

#include <utility>

#include "model/hyperparameters.h"

namespace emberline {

Result<std::unique_ptr<ForwardPass>> ForwardPass::create(const ModelOnDevice& model, std::uint32_t context) {
  return create(model, KvCache::create(model.kv_pool, context));
}

Result<std::unique_ptr<ForwardPass>> ForwardPass::fork() const {
  return create(model_, cache_.fork());
}

Result<std::unique_ptr<ForwardPass>> ForwardPass::create(const ModelOnDevice& model, Result<KvCache> cache) {
  if (!cache.ok()) return cache.error();
  std::unique_ptr<ForwardPass> pass(new ForwardPass(model, std::move(cache).value()));
  const TablePlan plan{model.device,         model.hyperparameters, model.weights,
                       model.device_weights, model.scratch,         pass->cache_};
  pass->prefill_ = build_table(plan, TableEnd::kKeysAndValues, kPrefillRows);
  pass->prefill_last_logits_ = build_table(plan, TableEnd::kLastRowLogits, kPrefillRows);
  pass->verify_ = build_table(plan, TableEnd::kAllRowsLogits, kVerifyRows);
  pass->decode_ = build_table(plan, TableEnd::kAllRowsLogits, 1);
  pass->chain_ = build_table(plan, TableEnd::kArgmax, 1);
  for (const DispatchTable* table :
       {&pass->prefill_, &pass->prefill_last_logits_, &pass->verify_, &pass->decode_, &pass->chain_}) {
    const Status status = model.device.prepare(*table);
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
    if (token >= vocabulary()) {
      return Status(ErrorCode::kInvalidArgument,
                    "A token id is outside the model's vocabulary; pass ids of this model.");
    }
  }
  const Status writable = cache_.prepare_write(request.position, static_cast<std::uint32_t>(end));
  if (!writable.ok()) return writable;
  const Status written =
      model_.device.write(model_.scratch.tokens.id(), 0, tokens.data(), tokens.size_bytes());
  if (!written.ok()) return written;
  request.rows = static_cast<std::uint32_t>(tokens.size());
  return model_.device.replay(table, request);
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
    Status read = model_.device.read(model_.scratch.tokens.id(), sizeof(TokenId), chain_tokens_,
                                     completed * sizeof(TokenId));
    if (read.ok())
      read =
          model_.device.read(model_.scratch.log_probs.id(), 0, chain_log_probs_, completed * sizeof(float));
    if (!read.ok()) return read;
  }
  return ChainResult{outcome.value(), {chain_tokens_, completed}, {chain_log_probs_, completed}};
}

Status ForwardPass::read_logits(std::uint32_t row, std::span<float> logits) {
  if (row >= kVerifyRows || logits.size() != vocabulary()) {
    return Status(ErrorCode::kInternal, "Logits of the wrong shape were asked for; please report this.");
  }
  return model_.device.read(model_.scratch.logits.id(), logits.size_bytes() * row, logits.data(),
                            logits.size_bytes());
}

}  // namespace emberline
