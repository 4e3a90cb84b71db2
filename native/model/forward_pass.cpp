#include "model/forward_pass.h"

#include <string>
#include <utility>

#include "base/try.h"
#include "model/hyperparameters.h"

namespace emberline {

Result<std::unique_ptr<ForwardPass>> ForwardPass::create(const ModelOnDevice& model, std::uint32_t context) {
  return create(model, KvCache::create(model.kv_memory, context),
                TokenHistory::create(model.device, context));
}

Result<std::unique_ptr<ForwardPass>> ForwardPass::fork() const {
  return create(model_, cache_.fork(), history_.fork());
}

Result<std::unique_ptr<ForwardPass>> ForwardPass::create(const ModelOnDevice& model, Result<KvCache> cache,
                                                         Result<TokenHistory> history) {
  if (!cache.ok()) return cache.error();
  if (!history.ok()) return history.error();
  std::unique_ptr<ForwardPass> pass(
      new ForwardPass(model, std::move(cache).value(), std::move(history).value()));
  const TablePlan plan{model.device,  model.hyperparameters, model.weights, model.device_weights,
                       model.scratch, pass->cache_,          pass->history_};
  pass->prefill_ = build_table(plan, TableEnd::kKeysAndValues, kPrefillRows);
  pass->prefill_last_logits_ = build_table(plan, TableEnd::kLastRowLogits, kPrefillRows);
  pass->verify_ = build_table(plan, TableEnd::kAllRowsLogits, kVerifyRows);
  pass->decode_ = build_table(plan, TableEnd::kAllRowsLogits, 1);
  pass->chain_ = build_table(plan, TableEnd::kArgmax, 1);
  if (pass->samples()) pass->sampled_chain_ = build_table(plan, TableEnd::kSample, 1);
  for (const DispatchTable* table : {&pass->prefill_, &pass->prefill_last_logits_, &pass->verify_,
                                     &pass->decode_, &pass->chain_, &pass->sampled_chain_}) {
    if (table->commands.empty()) continue;
    TRY(model.device.prepare(*table));
  }
  return pass;
}

Status ForwardPass::prepare_positions(std::span<const TokenId> tokens, std::uint32_t position,
                                      std::uint64_t end) {
  if (end > context()) {
    return Status(ErrorCode::kInternal,
                  "A forward pass was asked for rows outside its context; please report this.");
  }
  for (const TokenId token : tokens) {
    if (token >= vocabulary()) {
      return Status(ErrorCode::kInvalidArgument,
                    "A token id is outside the model's vocabulary; pass ids of this model.");
    }
  }
  const Status writable = cache_.prepare_write(position, static_cast<std::uint32_t>(end));
  return writable.ok() ? history_.write(position, tokens) : writable;
}

Result<ReplayOutcome> ForwardPass::replay(const DispatchTable& table, std::span<const TokenId> tokens,
                                          std::uint32_t position, const std::atomic<bool>* cancel) {
  if (tokens.empty() || tokens.size() > table.max_rows) {
    return Status(ErrorCode::kInternal,
                  "A forward pass was asked for more rows than its table has; please report this.");
  }
  TRY(prepare_positions(tokens, position, std::uint64_t{position} + tokens.size()));
  return model_.device.replay(table, {.position = position,
                                      .rows = static_cast<std::uint32_t>(tokens.size()),
                                      .stop = {},
                                      .cancel = cancel});
}

Result<ReplayOutcome> ForwardPass::prefill(std::span<const TokenId> tokens, std::uint32_t position,
                                           const std::atomic<bool>* cancel) {
  return replay(prefill_, tokens, position, cancel);
}

Result<ReplayOutcome> ForwardPass::prefill_last_logits(std::span<const TokenId> tokens,
                                                       std::uint32_t position,
                                                       const std::atomic<bool>* cancel) {
  return replay(prefill_last_logits_, tokens, position, cancel);
}

Result<ReplayOutcome> ForwardPass::verify(std::span<const TokenId> tokens, std::uint32_t position,
                                          const std::atomic<bool>* cancel) {
  return replay(verify_, tokens, position, cancel);
}

Result<ReplayOutcome> ForwardPass::decode(TokenId token, std::uint32_t position,
                                          const std::atomic<bool>* cancel) {
  return replay(decode_, {&token, 1}, position, cancel);
}

Result<std::unique_ptr<Chain>> ForwardPass::begin_chain(TokenId token, const ChainRequest& request) {
  if (request.steps < 1) {
    return Status(ErrorCode::kInternal, "A chain was asked for without a step; please report this.");
  }
  TRY(prepare_positions({&token, 1}, request.position, std::uint64_t{request.position} + request.steps));
  if (request.sampling == nullptr) return std::make_unique<Chain>(model_.device, chain_, history_, request);
  if (!samples()) {
    return Status(ErrorCode::kInternal, "This device does not sample; please report this.");
  }
  TRY(model_.device.write(model_.scratch.sampling.id(), 0, request.sampling, sizeof *request.sampling));
  return std::make_unique<Chain>(model_.device, sampled_chain_, history_, request);
}

const DispatchTable& ForwardPass::table_of(std::uint32_t rows, bool sampled) const {
  if (rows > kVerifyRows) return prefill_last_logits_;
  if (rows > 1) return verify_;
  if (!sampled) return chain_;
  return samples() ? sampled_chain_ : decode_;
}

Result<std::vector<DispatchDescription>> ForwardPass::describe(std::uint32_t rows, bool sampled) const {
  if (rows < 1 || rows > kPrefillRows) {
    return Status(ErrorCode::kInvalidArgument,
                  "A batch has 1 to " + std::to_string(kPrefillRows) + " rows; ask for as many.");
  }
  if (sampled && rows != 1)
    return Status(ErrorCode::kInvalidArgument, "One row is sampled at a time; ask for one.");
  return model_.device.describe(table_of(rows, sampled), rows);
}

Status ForwardPass::read_logits(std::uint32_t row, std::span<float> logits) {
  if (row >= kVerifyRows || logits.size() != vocabulary()) {
    return Status(ErrorCode::kInternal, "Logits of the wrong shape were asked for; please report this.");
  }
  return model_.device.read(model_.scratch.logits.id(), logits.size_bytes() * row, logits.data(),
                            logits.size_bytes());
}

}  // namespace emberline
