#include "decode/generation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "decode/chunk_plan.h"

namespace emberline {

namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// A chain makes room in the KV cache for all its steps at once; a longer generation is several chains.
constexpr std::size_t kMostStepsAtOnce = 256;

SamplingBlock sampling_block(const SamplingParams& params) {
  return {.temperature = params.temperature,
          .top_p = params.top_p,
          .min_p = params.min_p,
          .repeat_penalty = params.repeat_penalty,
          .top_k = params.top_k,
          .penalty_window = params.penalty_window,
          .seed_low = static_cast<std::uint32_t>(params.seed),
          .seed_high = static_cast<std::uint32_t>(params.seed >> 32)};
}

class DecodeLoop {
 public:
  DecodeLoop(const GenerationParts& parts, std::span<const TokenId> prompt, GenerationRequest request)
      : parts_(parts),
        prompt_size_(prompt.size()),
        request_(std::move(request)),
        text_(request_.required_prefix, request_.single_line, std::move(request_.on_text)),
        sequence_(prompt.begin(), prompt.end()),
        chunks_(kChunkBudgetMs, parts.pass.chain_steps(), parts.step_ms) {
    sequence_.reserve(prompt.size() + std::min<std::size_t>(request_.max_tokens, parts.pass.context()));
  }

  Result<Generation> run() {
    while (!stop_) {
      if (generated() == request_.max_tokens) {
        stop_ = StopReason::kMaxTokens;
      } else if (sequence_.size() >= parts_.pass.context()) {
        stop_ = StopReason::kContextFull;
      } else if (cancel_requested()) {
        stop_ = StopReason::kCancelled;
      } else {
        const Status status = logits_ready_ || needs_host_choice() ? host_step() : run_chain();
        if (!status.ok()) return status;
      }
    }
    return Generation{text_.text(),
                      {sequence_.begin() + static_cast<std::ptrdiff_t>(prompt_size_), sequence_.end()},
                      rated_ == 0 ? 0 : std::exp(log_prob_sum_ / static_cast<double>(rated_)),
                      end_probability_.value_or(0),
                      *stop_};
  }

 private:
  std::size_t generated() const { return sequence_.size() - prompt_size_; }
  bool cancel_requested() const {
    return request_.cancel != nullptr && request_.cancel->load(std::memory_order_relaxed);
  }
  bool still_blank() const { return request_.ban_blank_start && !text_.visible(); }
  bool needs_host_choice() const {
    const bool plain = request_.sampling.greedy() && request_.sampling.repeat_penalty == 1.0f;
    const bool by_device = plain || (!request_.sampling.greedy() && parts_.pass.samples());
    return !text_.remaining_prefix().empty() || still_blank() || !by_device;
  }
  std::uint32_t last_position() const { return static_cast<std::uint32_t>(sequence_.size() - 1); }

  void accept(TokenId token, float log_prob) {
    const std::string_view bytes = parts_.tokenizer.bytes(token);
    sequence_.push_back(token);
    if (bytes.size() > text_.remaining_prefix().size()) {
      log_prob_sum_ += log_prob;
      ++rated_;
    }
    if (parts_.sets.ends.contains(token)) {
      stop_ = StopReason::kEndToken;
    } else if (text_.push(bytes)) {
      stop_ = StopReason::kLineEnd;
    }
  }

  Status host_step() {
    if (!logits_ready_) {
      const Result<ReplayOutcome> outcome =
          parts_.pass.decode(sequence_.back(), last_position(), request_.cancel);
      if (!outcome.ok()) return outcome.error();
      if (outcome.value().cancelled) {
        stop_ = StopReason::kCancelled;
        return {};
      }
    }
    logits_ready_ = false;
    const Status read = parts_.pass.read_logits(0, parts_.choice.logits());
    if (!read.ok()) return read;
    const ChoiceRule rule{text_.remaining_prefix(), still_blank(), text_.prefix_ends_with_space()};
    const Result<ChosenToken> chosen = parts_.choice.choose(rule, sequence_, request_.sampling);
    if (!chosen.ok()) return chosen.error();
    if (rule.remaining_prefix.empty() && !end_probability_) end_probability_ = chosen.value().banned_prob;
    accept(chosen.value().token, chosen.value().log_prob);
    return {};
  }

  // From here on nothing is chosen on the CPU: to the end, or to a token of the stop set that does not end
  // the text.
  Status run_chain() {
    const TokenSet& stops = request_.single_line ? parts_.sets.ends_or_breaks : parts_.sets.ends;
    const std::size_t room = std::min<std::size_t>(
        {request_.max_tokens - generated(), parts_.pass.context() - sequence_.size(), kMostStepsAtOnce});
    const SamplingBlock sampling = sampling_block(request_.sampling);
    const Result<std::unique_ptr<Chain>> begun = parts_.pass.begin_chain(
        sequence_.back(), {last_position(), static_cast<std::uint32_t>(room), stops.stop_set(),
                           request_.cancel, request_.sampling.greedy() ? nullptr : &sampling});
    if (!begun.ok()) return begun.error();
    Chain& chain = *begun.value();
    Status status = submit_chunk(chain);
    auto start = std::chrono::steady_clock::now();
    bool goes_on = true;
    while (status.ok() && goes_on && chain.under_way()) {
      // Before the one under way is waited for, so that the device need not wait for this side in between.
      if (chain.steps_left() > 0) status = submit_chunk(chain);
      if (!status.ok()) break;
      const Result<ChainResult> chunk = chain.wait();
      if (!chunk.ok()) return chunk.error();
      const std::size_t tokens = chunk.value().tokens.size();
      // One that ended early says little: what was skipped took some time, too.
      const ReplayOutcome& outcome = chunk.value().outcome;
      if (tokens > 0 && !outcome.stopped && !outcome.cancelled) {
        chunks_.record(static_cast<std::uint32_t>(tokens), milliseconds_since(start));
        parts_.step_ms = chunks_.step_ms();
      }
      start = std::chrono::steady_clock::now();
      goes_on = accept_chunk(chunk.value());
      if (goes_on && tokens == 0) {
        return Status(ErrorCode::kDeviceFailed,
                      "The device ended a chain without a token; please report this.");
      }
    }
    return status;
  }

  Status submit_chunk(Chain& chain) { return chain.submit(std::min(chunks_.next(), chain.steps_left())); }

  // Whether the chain goes on behind it.
  bool accept_chunk(const ChainResult& chunk) {
    for (std::size_t step = 0; step < chunk.tokens.size() && !stop_; ++step) {
      accept(chunk.tokens[step], chunk.log_probs[step]);
    }
    if (!stop_ && chunk.outcome.cancelled) stop_ = StopReason::kCancelled;
    return !stop_ && !chunk.outcome.stopped;
  }

  const GenerationParts& parts_;
  const std::size_t prompt_size_;
  GenerationRequest request_;
  OutputText text_;
  std::vector<TokenId> sequence_;  // prompt and generated
  ChunkPlan chunks_;
  double log_prob_sum_ = 0;                // of the tokens that go beyond the required prefix
  std::size_t rated_ = 0;                  // how many those are
  std::optional<double> end_probability_;  // known after the first free choice on the CPU
  bool logits_ready_ = true;               // those that choose the token behind sequence_
  std::optional<StopReason> stop_;
};

}  // namespace

Result<Generation> generate(const GenerationParts& parts, std::span<const TokenId> prompt,
                            GenerationRequest request) {
  return DecodeLoop(parts, prompt, std::move(request)).run();
}

}  // namespace emberline
