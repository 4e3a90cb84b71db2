#include "decode/speculation/draft_model.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "base/try.h"
#include "sampling/random.h"

namespace emberline {

DraftModel::DraftModel(std::unique_ptr<ForwardPass> pass, std::vector<TokenId> cached,
                       std::uint32_t vocabulary, const SamplingKernels& kernels)
    : pass_(std::move(pass)),
      prefill_(*pass_, std::move(cached)),
      vocabulary_(std::min(vocabulary, pass_->vocabulary())),
      sampler_(kernels) {}

Result<std::unique_ptr<DraftModel>> DraftModel::create(std::unique_ptr<ForwardPass> pass,
                                                       std::uint32_t vocabulary,
                                                       const SamplingKernels& kernels) {
  std::unique_ptr<DraftModel> model(new DraftModel(std::move(pass), {}, vocabulary, kernels));
  model->reserve();
  return model;
}

Result<std::unique_ptr<DraftModel>> DraftModel::fork() const {
  TRY_VALUE(std::unique_ptr<ForwardPass> pass, pass_->fork());
  std::unique_ptr<DraftModel> model(
      new DraftModel(std::move(pass), prefill_.cached(), vocabulary_, sampler_.kernels()));
  model->reserve();
  return model;
}

void DraftModel::reserve() {
  logits_.resize(pass_->vocabulary());
  sampler_.reserve(pass_->vocabulary());
}

bool DraftModel::can_read(std::span<const TokenId> sequence) const {
  return !sequence.empty() && sequence.size() <= pass_->context() &&
         std::all_of(sequence.begin(), sequence.end(),
                     [this](TokenId token) { return token < pass_->vocabulary(); });
}

std::size_t DraftModel::unread(std::span<const TokenId> sequence) const {
  return sequence.size() - prefill_.reusable(sequence);
}

Status DraftModel::propose(std::span<const TokenId> sequence, std::uint32_t most,
                           const SamplingParams& sampling, const std::atomic<bool>* cancel,
                           DraftTokens& out) {
  out.clear();
  if (!can_read(sequence)) return {};
  // The last token of the sequence is evaluated for the first of the draft, and so on.
  const std::size_t before = sequence.size() - 1;
  most = static_cast<std::uint32_t>(std::min<std::size_t>(most, pass_->context() - before));
  if (most == 0) return {};
  TRY_VALUE(const PrefillOutcome read, prefill_.run_without_logits(sequence.first(before), cancel));
  if (read.cancelled) return {};
  out.tokens_read = static_cast<std::uint32_t>(before - read.reused);
  if (sampling.greedy() && sampling.repeat_penalty == 1.0f) {
    return draft_greedily(sequence.back(), most, cancel, out);
  }
  return draft_step_by_step(sequence, most, sampling, cancel, out);
}

Status DraftModel::draft_greedily(TokenId last, std::uint32_t most, const std::atomic<bool>* cancel,
                                  DraftTokens& out) {
  const auto position = static_cast<std::uint32_t>(prefill_.cached().size());
  const Result<std::unique_ptr<Chain>> begun =
      pass_->begin_chain(last, {.position = position, .steps = most, .stop = {}, .cancel = cancel});
  if (!begun.ok()) return begun.error();
  Chain& chain = *begun.value();
  while (chain.steps_left() > 0) {
    TRY(chain.submit(std::min(chain.steps_left(), pass_->chain_steps())));
    TRY_VALUE(const ChainResult chunk, chain.wait());
    for (const TokenId token : chunk.tokens) {
      prefill_.append({&last, 1});
      out.tokens.push_back(token);
      last = token;
    }
    if (chunk.outcome.cancelled) break;
  }
  // Here nothing was left to chance: a draft may end before what the target cannot take.
  const auto unknown = std::find_if(out.tokens.begin(), out.tokens.end(),
                                    [this](TokenId token) { return token >= vocabulary_; });
  out.tokens.erase(unknown, out.tokens.end());
  return {};
}

Status DraftModel::draft_step_by_step(std::span<const TokenId> sequence, std::uint32_t most,
                                      const SamplingParams& sampling, const std::atomic<bool>* cancel,
                                      DraftTokens& out) {
  history_.assign(sequence.begin(), sequence.end());
  while (out.tokens.size() < most) {
    const TokenId last = history_.back();
    TRY_VALUE(const ReplayOutcome evaluated,
              pass_->decode(last, static_cast<std::uint32_t>(history_.size() - 1), cancel));
    if (evaluated.cancelled) break;
    prefill_.append({&last, 1});
    TRY_VALUE(const TokenId drawn, draw(sampling));
    out.tokens.push_back(drawn);
    if (!sampling.greedy()) out.laws.push_back(law_);
    history_.push_back(drawn);
  }
  return {};
}

Result<TokenId> DraftModel::draw(const SamplingParams& sampling) {
  TRY(pass_->read_logits(0, logits_));
  // Masked, not left out when drawn: a draft that ends because of what was drawn would change the law.
  std::fill(logits_.begin() + vocabulary_, logits_.end(), -std::numeric_limits<float>::infinity());
  TRY(sampler_.distribution(logits_, history_, sampling, law_));
  return draw_from(law_, random_uniform(sampling.seed, history_.size(), RandomStream::kDraft));
}

}  // namespace emberline
