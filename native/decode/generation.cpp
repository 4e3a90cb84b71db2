#include "decode/generation.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/cancel.h"
#include "base/schedule.h"
#include "base/stopwatch.h"
#include "base/try.h"
#include "decode/blank.h"
#include "decode/chunk_plan.h"
#include "decode/sampling_block.h"
#include "decode/spelling_choice.h"

namespace emberline {

namespace {

// A chain makes room in the KV cache for all its steps at once; a longer generation is several chains.
constexpr std::size_t kMostStepsAtOnce = kMostWritten;

// Where submissions have a cost, plain steps between looks for drafts become more, up to so many times the
// fewest.
constexpr std::size_t kMostPatience = 8;

class DecodeLoop {
 public:
  DecodeLoop(const GenerationParts& parts, std::span<const TokenId> prompt, GenerationRequest request)
      : parts_(parts),
        prompt_size_(prompt.size()),
        request_(std::move(request)),
        text_(request_.required_prefix, request_.single_line, std::move(request_.on_text)),
        sequence_(prompt.begin(), prompt.end()),
        chunks_(kChunkBudgetMs,
                request_.single_line ? std::min(parts.pass.chain_steps(), kLineChunkSteps)
                                     : parts.pass.chain_steps(),
                parts.step_ms),
        patience_(parts.pass.least_chain_steps()) {
    // The same place gives the same text, whether the device draws a token or this side does.
    if (parts.pass.samples()) request_.sampling.draw_by = DrawBy::kGumbelNoise;
    sequence_.reserve(prompt.size() + std::min<std::size_t>(request_.max_tokens, parts.pass.context()));
  }

  Result<Generation> run() {
    TRY(take_lead());
    bar_all_ends();
    stop_where_complete();
    while (!stop_) {
      schedule_point("decode.step");
      if (generated() == request_.max_tokens) {
        stop_ = StopReason::kMaxTokens;
      } else if (sequence_.size() >= parts_.pass.context()) {
        stop_ = StopReason::kContextFull;
      } else if (is_cancelled(request_.cancel)) {
        stop_ = StopReason::kCancelled;
      } else {
        TRY(step());
      }
    }
    const bool ended = stop_ == StopReason::kGrammar || stop_ == StopReason::kEndToken;
    const bool rated = !token_ends_.empty();
    return Generation{.text = text_.text(),
                      .ids = {sequence_.begin() + static_cast<std::ptrdiff_t>(prompt_size_), sequence_.end()},
                      .id_probabilities = std::move(id_probabilities_),
                      .stop = *stop_,
                      .confidence = rated ? std::exp(log_prob_sum_) : 0,
                      .token_probabilities = std::move(token_probabilities_),
                      .token_ends = std::move(token_ends_),
                      .end_probability = end_probability_.value_or(0),
                      .barred_probability = barred_probability_,
                      .grammar_ended = request_.constraint != nullptr && ended};
  }

 private:
  std::size_t generated() const { return sequence_.size() - prompt_size_; }
  bool still_blank() const { return request_.ban_blank_start && !text_.visible(); }
  bool must_spell() const { return !text_.remaining_prefix().empty() || still_blank(); }
  bool chosen_by_device() const {
    const bool plain = request_.sampling.greedy() && request_.sampling.repeat_penalty == 1.0f;
    const bool by_law = plain || (!request_.sampling.greedy() && parts_.pass.samples());
    return by_law && request_.constraint == nullptr;
  }
  bool drafts() const {
    return parts_.speculation != nullptr && (parts_.speculation->on() || request_.constraint != nullptr);
  }
  const TokenSet& stops() const {
    return request_.single_line ? parts_.sets.ends_or_breaks : parts_.sets.ends;
  }
  // Tokens that may still come.
  std::size_t room() const {
    return std::min<std::size_t>(request_.max_tokens - generated(), parts_.pass.context() - sequence_.size());
  }
  // Tokens whose law is the model's alone.
  std::size_t silent_steps() const {
    return parts_.memory == nullptr ? kMostStepsAtOnce : parts_.memory->silent_tokens(sequence_);
  }
  std::uint32_t last_position() const { return static_cast<std::uint32_t>(sequence_.size() - 1); }

  bool ends(TokenId token) const {
    return parts_.sets.ends.contains(token) &&
           (request_.constraint == nullptr || !request_.constraint->reads(token));
  }

  // The tokens with which a text can end where it stands differ in what comes behind it, which nobody sees.
  void bar_all_ends() {
    std::vector<TokenId>& barred = request_.barred;
    const auto ends_here = [this](TokenId token) {
      return ends(token) || (request_.single_line && breaks_line_while_blank(parts_.tokenizer.bytes(token)));
    };
    // What still spells the prefix ends nothing.
    if (text_.remaining_prefix().empty() && std::ranges::any_of(barred, ends_here))
      std::ranges::copy_if(parts_.sets.blank_start_bans, std::back_inserter(barred), ends_here);
    std::ranges::sort(barred);
    barred.erase(std::ranges::unique(barred).begin(), barred.end());
  }

  // The text begins with the prompt's last tokens.
  Status take_lead() {
    for (const TokenId token : std::span(sequence_).last(request_.lead)) {
      const std::string_view bytes = parts_.tokenizer.bytes(token);
      const std::string_view remaining = text_.remaining_prefix();
      const std::size_t common = std::min(bytes.size(), remaining.size());
      if (bytes.substr(0, common) != remaining.substr(0, common)) {
        return {
            ErrorCode::kInvalidArgument,
            "The lead does not spell the required prefix; pass the ids of an answer to the same request."};
      }
      if (request_.constraint != nullptr) {
        request_.constraint->advance(token);
        if (!request_.constraint->holds()) {
          return {ErrorCode::kGrammarRejectsPrefix,
                  "The lead is not the beginning of any text that the grammar allows; pass the ids of an "
                  "answer with the same grammar."};
        }
      }
      if (ends(token) || text_.push(bytes)) {
        return {ErrorCode::kInvalidArgument,
                "The lead ends the text, so that nothing can follow; leave out its last id."};
      }
    }
    return {};
  }

  // Where nothing but the end may come.
  void stop_where_complete() {
    if (!stop_ && request_.constraint != nullptr && request_.constraint->complete())
      stop_ = StopReason::kGrammar;
  }

  void accept(TokenId token, float log_prob) {
    const std::string_view bytes = parts_.tokenizer.bytes(token);
    sequence_.push_back(token);
    if (request_.progress != nullptr)
      request_.progress->generated_tokens = static_cast<std::uint32_t>(generated());
    if (request_.constraint != nullptr) request_.constraint->advance(token);
    id_probabilities_.push_back(std::exp(log_prob));
    const bool goes_beyond = bytes.size() > text_.remaining_prefix().size();
    if (ends(token)) {
      stop_ = StopReason::kEndToken;
    } else if (text_.push(bytes)) {
      stop_ = StopReason::kLineEnd;
    }
    if (goes_beyond) {
      log_prob_sum_ += log_prob;
      token_probabilities_.push_back(std::exp(log_prob));
      token_ends_.push_back(static_cast<std::uint32_t>(text_.units()));
    }
    stop_where_complete();
    if (!stop_ && goes_beyond && std::exp(log_prob_sum_) < request_.least_confidence)
      stop_ = StopReason::kUnsure;
  }

  Status step() {
    if (logits_ready_ || must_spell()) return host_step();
    if (drafts()) {
      const auto left = static_cast<std::uint32_t>(
          std::min<std::size_t>(room(), std::numeric_limits<std::uint32_t>::max()));
      TRY_VALUE(const DraftTokens* const draft,
                parts_.speculation->propose(sequence_, {.most = left - 1,
                                                        .room = left,
                                                        .vocabulary = parts_.pass.vocabulary(),
                                                        .stops = &stops(),
                                                        .constraint = request_.constraint,
                                                        .cancel = request_.cancel}));
      if (!draft->tokens.empty()) return verify(*draft);
    }
    return chosen_by_device() && silent_steps() > 0 ? run_chain() : host_step();
  }

  // Evaluates the last token and the draft in one batch, and accepts what the model confirms, and one more.
  Status verify(const DraftTokens& draft) {
    const Stopwatch watch;
    batch_.assign(1, sequence_.back());
    batch_.insert(batch_.end(), draft.tokens.begin(), draft.tokens.end());
    TRY_VALUE(const ReplayOutcome outcome, parts_.pass.verify(batch_, last_position(), request_.cancel));
    if (outcome.cancelled) {
      stop_ = StopReason::kCancelled;
      return {};
    }
    std::uint32_t accepted = 0, produced = 0;
    for (std::uint32_t row = 0; row <= draft.tokens.size(); ++row) {
      const bool drafted = row < draft.tokens.size();
      TRY(read_logits(row));
      TRY_VALUE(const ChosenToken chosen, drafted && !draft.laws.empty()
                                              ? parts_.choice.decide(rule(), sequence_, request_.sampling,
                                                                     draft.laws[row], draft.tokens[row])
                                              : parts_.choice.choose(rule(), sequence_, request_.sampling));
      accept(chosen.token, chosen.log_prob);
      ++produced;
      if (!drafted || chosen.token != draft.tokens[row]) break;
      ++accepted;
      if (stop_) break;
    }
    parts_.speculation->verified(accepted, produced, watch.milliseconds());
    patience_ = parts_.pass.least_chain_steps();
    return {};
  }

  // Those behind row `row` of the last batch, with what the document says.
  Status read_logits(std::uint32_t row) {
    TRY(parts_.pass.read_logits(row, parts_.choice.logits()));
    if (parts_.memory != nullptr && parts_.memory->silent_tokens(sequence_) == 0) {
      parts_.memory->mix(sequence_, parts_.choice.logits(), parts_.choice.log_total());
    }
    return {};
  }

  ChoiceRule rule() const {
    return {text_.remaining_prefix(), still_blank(), text_.prefix_ends_with_space(), request_.constraint,
            generated() == 0 ? std::span<const TokenId>(request_.barred) : std::span<const TokenId>()};
  }

  // Tells the speculation of plain steps, which took `ms`; 0: not known.
  Status stepped(std::uint32_t tokens, std::uint32_t steps, double ms) {
    return drafts() ? parts_.speculation->stepped(sequence_, tokens, steps, ms) : Status();
  }

  Status host_step() {
    const Stopwatch watch;
    const std::uint32_t steps = logits_ready_ ? 0 : 1;
    if (!logits_ready_) {
      TRY_VALUE(const ReplayOutcome outcome,
                parts_.pass.decode(sequence_.back(), last_position(), request_.cancel));
      if (outcome.cancelled) {
        stop_ = StopReason::kCancelled;
        return {};
      }
    }
    logits_ready_ = false;
    const bool spelled = text_.remaining_prefix().empty();
    TRY(read_logits(0));
    ChosenToken chosen;
    if (spelled || request_.constraint != nullptr) {
      TRY_VALUE(chosen, parts_.choice.choose(rule(), sequence_, request_.sampling));
    } else {
      TRY_VALUE(const SpellingChoice weighed,
                choose_spelling(parts_, rule(), sequence_, request_.sampling, request_.cancel));
      if (weighed.cancelled) {
        stop_ = StopReason::kCancelled;
        return {};
      }
      chosen = weighed.chosen;
      logits_ready_ = weighed.evaluated;
    }
    if (spelled && !end_probability_) end_probability_ = chosen.banned_prob;
    if (generated() == 0) barred_probability_ = chosen.barred_prob;
    accept(chosen.token, chosen.log_prob);
    return stepped(1, steps, watch.milliseconds());
  }

  // Chooses on the device: to the end, to a token of the stop set that does not end the text, or until drafts
  // are looked for again.
  Status run_chain() {
    const std::size_t steps =
        std::min({room(), kMostStepsAtOnce, silent_steps(), drafts() ? patience_ : kMostStepsAtOnce});
    const std::size_t least = parts_.pass.least_chain_steps();
    if (least > 1) patience_ = std::min(2 * patience_, kMostPatience * least);
    const SamplingBlock sampling = sampling_block(request_.sampling);
    TRY_VALUE(const std::unique_ptr<Chain> begun,
              parts_.pass.begin_chain(sequence_.back(),
                                      {last_position(), static_cast<std::uint32_t>(steps), stops().stop_set(),
                                       request_.cancel, request_.sampling.greedy() ? nullptr : &sampling}));
    Chain& chain = *begun;
    Status status = submit_chunk(chain);
    Stopwatch watch;
    bool goes_on = true;
    while (status.ok() && goes_on && chain.under_way()) {
      // Before the one under way is waited for, so that the device need not wait for this side in between.
      if (chain.steps_left() > 0) status = submit_chunk(chain);
      if (!status.ok()) break;
      TRY_VALUE(const ChainResult chunk, chain.wait());
      const std::size_t tokens = chunk.tokens.size();
      double ms = 0;
      // One that ended early says little: what was skipped took some time, too.
      const ReplayOutcome& outcome = chunk.outcome;
      if (tokens > 0 && !outcome.stopped && !outcome.cancelled) {
        ms = watch.milliseconds();
        chunks_.record(static_cast<std::uint32_t>(tokens), ms);
        parts_.step_ms = chunks_.step_ms();
      }
      watch.restart();
      const std::size_t before = sequence_.size();
      goes_on = accept_chunk(chunk);
      const auto taken = static_cast<std::uint32_t>(sequence_.size() - before);
      status = stepped(taken, taken, ms);
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
  std::vector<TokenId> batch_;     // under verification
  ChunkPlan chunks_;
  std::size_t patience_;                    // plain steps before drafts are looked for again
  double log_prob_sum_ = 0;                 // of the tokens that go beyond the required prefix
  std::vector<float> token_probabilities_;  // of the same
  std::vector<float> id_probabilities_;     // Generation::id_probabilities
  std::vector<std::uint32_t> token_ends_;   // Generation::token_ends
  std::optional<double> end_probability_;   // known after the first free choice on the CPU
  double barred_probability_ = 0;           // Generation::barred_probability
  bool logits_ready_ = true;                // those that choose the token behind sequence_
  std::optional<StopReason> stop_;
};

}  // namespace

Result<Generation> generate(const GenerationParts& parts, std::span<const TokenId> prompt,
                            GenerationRequest request) {
  return DecodeLoop(parts, prompt, std::move(request)).run();
}

}  // namespace emberline
