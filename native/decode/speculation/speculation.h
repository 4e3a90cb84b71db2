// Speculative decoding of one session: which draft to verify at each step, and what came of it.
//
// What a constraint forces is verified, as long as the model splits it into the same tokens. Else two drafts
// compete: a lookup in the text (prompt_lookup.h) and, where there is one, a second model. Of each it is
// known how often it was right and what it costs; the better one is verified, or, where neither pays, none
// (speculation_plan.h). What a lookup would have drafted at a plain step counts as well, so that lookups are
// tried again when they begin to be right.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "decode/constraint.h"
#include "decode/speculation/draft.h"
#include "decode/speculation/prompt_lookup.h"
#include "decode/speculation/speculation_plan.h"
#include "decode/token_sets.h"

namespace emberline {

// What a request allows.
struct DraftingParams {
  bool lookup = false;
  bool model = false;                 // nothing where there is no draft model
  bool adaptive = true;               // false: whatever is drafted is verified, as long as `most`
  std::uint32_t most = kMostDrafted;  // tokens of a draft, 1..kMostDrafted
};

// OK, or INVALID_ARGUMENT for a `most` out of range.
Status check_drafting_params(const DraftingParams& params);

// What a draft has to keep to.
struct DraftLimits {
  std::uint32_t most = 0;            // tokens
  std::uint32_t room = 0;            // tokens that may still come
  std::uint32_t vocabulary = 0;      // ids are below it
  const TokenSet* stops = nullptr;   // tokens that would end the text: a draft ends at the first
  Constraint* constraint = nullptr;  // may be null
  const std::atomic<bool>* cancel = nullptr;
};

struct DraftingCounts {
  std::uint32_t drafted = 0;      // tokens that were verified
  std::uint32_t accepted = 0;     // of those
  std::uint32_t batches = 0;      // verifications
  std::uint32_t plain_steps = 0;  // steps without a draft
  double saved_ms = 0;            // what as many plain steps would have taken beyond what the batches took
};

using ReferenceSource = std::function<std::vector<ReferenceText>()>;

class Speculation {
 public:
  // `model`: outlives this; may be null.
  explicit Speculation(Draft* model = nullptr) : model_(model) {}

  // A new request. `text_changed`: its prompt has little to do with the last one. `references`: gives the
  // texts beside the prompt, for lookups; asked once, before the first draft, so that the first token need
  // not wait for them; may be empty.
  void begin(const DraftingParams& params, const SamplingParams& sampling, bool text_changed,
             ReferenceSource references = {});

  // Whether this request may have drafts.
  bool on() const { return params_.lookup || (params_.model && model_ != nullptr); }
  // The draft worth verifying behind `sequence`; empty: a plain step is better. Valid until the next call.
  // Errors of Draft::propose.
  Result<const DraftTokens*> propose(std::span<const TokenId> sequence, const DraftLimits& limits);
  // The draft was verified: its first `accepted` tokens were right, and `produced` tokens came of it in all:
  // one more where another was chosen in the place of the next, or behind the last. `ms`: the batch with all
  // choices.
  void verified(std::uint32_t accepted, std::uint32_t produced, double ms);
  // Instead `sequence` was brought to where it is by plain steps, `steps` of them and `tokens` tokens, which
  // differ where a token was chosen without one. `ms`: of all steps; 0: not known. OUT_OF_MEMORY.
  Status stepped(std::span<const TokenId> sequence, std::uint32_t tokens, std::uint32_t steps, double ms);

  const DraftingCounts& counts() const { return counts_; }
  const SpeculationPlan& plan() const { return plan_; }

 private:
  struct Expected {
    TokenId token;
    DraftKind kind;
  };
  void forget_expected();
  void begin_lookup();
  Status propose_forced(const DraftLimits& limits);
  Status propose_lookup(std::span<const TokenId> sequence, const DraftLimits& limits);
  Status propose_model(std::span<const TokenId> sequence, const DraftLimits& limits);
  std::uint32_t model_tokens(std::span<const TokenId> sequence, const DraftLimits& limits) const;
  double model_ms() const;  // of a token; assumed where it is not known

  PromptLookup lookup_;
  Draft* model_;
  SpeculationPlan plan_;
  DraftingParams params_;
  SamplingParams sampling_;
  DraftingCounts counts_;
  ReferenceSource references_;
  bool lookup_begun_ = false;
  DraftTokens draft_, model_draft_, glimpse_;
  DraftKind draft_kind_ = DraftKind::model();
  std::optional<Expected> expected_;  // what a lookup says that comes next
  std::optional<TokenId> forced_;     // and what a constraint does
  bool model_silent_ = false;         // the draft model had no guess in this request
  double draft_ms_ = 0;               // of a token of the draft model; 0: not known
  double read_ms_ = 0;                // of a token that the draft model reads; 0: not known
  std::uint32_t undrafted_ = 0;       // tokens since the draft model was last asked
  double drafting_ms_ = 0;            // that the draft under verification took
};

}  // namespace emberline
