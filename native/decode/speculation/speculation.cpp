#include "decode/speculation/speculation.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "base/stopwatch.h"
#include "base/try.h"

namespace emberline {

namespace {

// Forced tokens that are right so often are verified whatever it costs.
constexpr double kSureAcceptance = 0.9;
// Lookups whose match is shorter are noise where nothing is known of them.
constexpr std::uint32_t kLeastUnadaptedMatch = 2;
// What a token of a draft model takes, in parts of a plain step, and one that it reads, in parts of that,
// before it was timed.
constexpr double kAssumedDraftShare = 0.15, kAssumedReadShare = 0.2;
constexpr double kDraftTimeWeight = 0.25;
// A draft model that was found dear is timed again after so many tokens without it.
constexpr std::uint32_t kTimedAgainAfter = 256;

// Nothing follows a token that ends the text. It is as well produced by the row before it, but where it was
// drawn by chance it has to be decided on: to leave it out because of what it is would change the law.
void end_at(const TokenSet* stops, DraftTokens& draft) {
  if (stops == nullptr) return;
  auto end = std::find_if(draft.tokens.begin(), draft.tokens.end(),
                          [&](TokenId token) { return stops->contains(token); });
  if (!draft.laws.empty() && end != draft.tokens.end()) ++end;
  draft.tokens.erase(end, draft.tokens.end());
  if (!draft.laws.empty()) draft.laws.resize(draft.tokens.size());
}

// Ends a draft before what a constraint forbids. One that was drawn by chance is left as it is: see end_at().
void admit(Constraint* constraint, DraftTokens& draft) {
  if (constraint != nullptr && draft.laws.empty()) draft.tokens.resize(constraint->admitted(draft.tokens));
}

}  // namespace

Status check_drafting_params(const DraftingParams& params) {
  if (params.most < 1 || params.most > kMostDrafted) {
    return {ErrorCode::kInvalidArgument, "A draft must have from 1 to " + std::to_string(kMostDrafted) +
                                             " tokens; correct the drafting settings."};
  }
  return {};
}

void Speculation::begin(const DraftingParams& params, const SamplingParams& sampling, bool text_changed,
                        ReferenceSource references) {
  params_ = params;
  sampling_ = sampling;
  references_ = std::move(references);
  counts_ = {};
  draft_.clear();
  forget_expected();
  lookup_begun_ = false;
  model_silent_ = false;
  if (text_changed) plan_.text_changed();
}

void Speculation::forget_expected() {
  expected_.reset();
  forced_.reset();
}

void Speculation::begin_lookup() {
  if (lookup_begun_) return;
  lookup_.begin(references_ ? std::exchange(references_, {})() : std::vector<ReferenceText>());
  lookup_begun_ = true;
}

// What a constraint says is checked: others write them.
Status Speculation::propose_forced(const DraftLimits& limits) {
  if (limits.constraint == nullptr) return {};
  limits.constraint->forced(limits.most, draft_.tokens);
  draft_.tokens.resize(std::min<std::size_t>(draft_.tokens.size(), limits.most));
  const auto foreign = std::find_if(draft_.tokens.begin(), draft_.tokens.end(),
                                    [&](TokenId token) { return token >= limits.vocabulary; });
  draft_.tokens.erase(foreign, draft_.tokens.end());
  draft_kind_ = DraftKind::forced();
  // The text is forced, but how it is split into tokens is up to the model: one that splits it in its own way
  // gets less to verify.
  if (draft_.tokens.empty() || !params_.adaptive || plan_.acceptance(draft_kind_) >= kSureAcceptance)
    return {};
  forced_ = draft_.tokens.front();
  draft_.tokens.resize(plan_.choose(draft_kind_, static_cast<std::uint32_t>(draft_.tokens.size())));
  return {};
}

Status Speculation::propose_lookup(std::span<const TokenId> sequence, const DraftLimits& limits) {
  begin_lookup();
  const Status proposed = lookup_.propose(sequence, limits.most, sampling_, nullptr, draft_);
  if (!proposed.ok() || draft_.tokens.empty()) return proposed;
  admit(limits.constraint, draft_);
  if (draft_.tokens.empty()) return {};
  draft_kind_ = DraftKind::lookup(lookup_.match_length());
  expected_ = {draft_.tokens.front(), draft_kind_};
  end_at(limits.stops, draft_);
  const auto drafted = static_cast<std::uint32_t>(draft_.tokens.size());
  const std::uint32_t worth = params_.adaptive ? plan_.choose(draft_kind_, drafted)
                              : lookup_.match_length() >= kLeastUnadaptedMatch ? drafted
                                                                               : 0;
  draft_.tokens.resize(worth);
  return {};
}

double Speculation::model_ms() const {
  return draft_ms_ > 0 ? draft_ms_ : kAssumedDraftShare * plan_.plain_ms();
}

std::uint32_t Speculation::model_tokens(std::span<const TokenId> sequence, const DraftLimits& limits) const {
  if (!params_.adaptive) return limits.most;
  const std::uint32_t tokens = plan_.choose(DraftKind::model(), limits.most, model_ms());
  if (tokens == 0) return 0;
  // A text that it has not read must be long enough in the making to pay for the reading.
  const double read_ms = read_ms_ > 0 ? read_ms_ : kAssumedReadShare * model_ms();
  const double gain = plan_.gain(DraftKind::model(), tokens, model_ms());
  const double saved = limits.room * plan_.plain_ms() * (1 - 1 / gain);
  return read_ms * static_cast<double>(model_->unread(sequence)) < saved ? tokens : 0;
}

Status Speculation::propose_model(std::span<const TokenId> sequence, const DraftLimits& limits) {
  if (model_silent_) return {};
  const auto looked_up = static_cast<std::uint32_t>(draft_.tokens.size());
  const std::uint32_t tokens = model_tokens(sequence, limits);
  if (tokens == 0) return {};
  if (looked_up > 0 && (!params_.adaptive || plan_.gain(draft_kind_, looked_up) >=
                                                 plan_.gain(DraftKind::model(), tokens, model_ms()))) {
    return {};
  }
  const Stopwatch watch;
  TRY(model_->propose(sequence, tokens, sampling_, limits.cancel, model_draft_));
  model_silent_ = model_draft_.tokens.empty();
  if (model_silent_) return {};
  const auto average = [](double known, double ms) {
    return known == 0 ? ms : std::lerp(known, ms, kDraftTimeWeight);
  };
  const double ms = watch.milliseconds();
  const auto drafted = static_cast<double>(model_draft_.tokens.size());
  if (model_draft_.tokens_read <= kMostDrafted) {
    draft_ms_ = average(draft_ms_, ms / drafted);
  } else {
    read_ms_ = average(read_ms_, std::max(ms - drafted * model_ms(), 0.0) / model_draft_.tokens_read);
  }
  undrafted_ = 0;
  admit(limits.constraint, model_draft_);
  end_at(limits.stops, model_draft_);
  if (model_draft_.tokens.empty()) return {};
  std::swap(draft_, model_draft_);
  draft_kind_ = DraftKind::model();
  drafting_ms_ = ms;
  return {};
}

Result<const DraftTokens*> Speculation::propose(std::span<const TokenId> sequence,
                                                const DraftLimits& limits) {
  draft_.clear();
  forget_expected();
  drafting_ms_ = 0;
  DraftLimits within = limits;
  within.most = std::min(limits.most, params_.most);
  if (within.most == 0) return &draft_;
  TRY(propose_forced(within));
  if (!draft_.tokens.empty()) return &draft_;
  if (params_.lookup) {
    TRY(propose_lookup(sequence, within));
  }
  if (params_.model && model_ != nullptr) {
    TRY(propose_model(sequence, within));
  }
  return &draft_;
}

void Speculation::verified(std::uint32_t accepted, std::uint32_t produced, double ms) {
  const auto drafted = static_cast<std::uint32_t>(draft_.tokens.size());
  plan_.record_outcome(draft_kind_, accepted, accepted < drafted && produced > accepted);
  plan_.record_time(drafted + 1, ms);
  counts_.drafted += drafted;
  counts_.accepted += accepted;
  ++counts_.batches;
  if (plan_.plain_ms() > 0) counts_.saved_ms += produced * plan_.plain_ms() - ms - drafting_ms_;
  draft_.clear();
  forget_expected();
}

Status Speculation::stepped(std::span<const TokenId> sequence, std::uint32_t tokens, std::uint32_t steps,
                            double ms) {
  counts_.plain_steps += steps;
  undrafted_ += tokens;
  if (undrafted_ >= kTimedAgainAfter) draft_ms_ = 0;
  if (steps > 0 && ms > 0) plan_.record_time(1, ms / steps);
  for (std::size_t known = sequence.size() - tokens; known < sequence.size(); ++known) {
    const auto record = [&](DraftKind kind, TokenId token) {
      plan_.record_outcome(kind, token == sequence[known] ? 1 : 0, token != sequence[known]);
    };
    if (forced_) record(DraftKind::forced(), *forced_);
    if (expected_) record(expected_->kind, expected_->token);
    forget_expected();
    // Before the first draft nothing was looked up.
    if (!lookup_begun_) continue;
    TRY(lookup_.propose(sequence.first(known + 1), 1, sampling_, nullptr, glimpse_));
    if (!glimpse_.tokens.empty())
      expected_ = {glimpse_.tokens.front(), DraftKind::lookup(lookup_.match_length())};
  }
  return {};
}

}  // namespace emberline
