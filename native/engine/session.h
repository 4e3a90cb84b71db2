// One stream of completions over a model: owns a KV cache and remembers which tokens are in it.
//
// Threading: complete() and logits() are called by one thread at a time, and by one session of a model at a
// time (the model's device is shared; the addon runs all of a model on one engine thread). A cancel flag may
// be set from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "decode/generation.h"
#include "decode/speculation/speculation.h"
#include "engine/model.h"
#include "engine/prompt.h"
#include "grammar/grammar.h"
#include "sampling/sampling_params.h"

namespace emberline {

inline constexpr std::size_t kMostReferenceTokens = 32'768;

struct CompletionRequest : TextRequest {
  Prompt prompt;
  bool parse_special = false;  // read control tokens that are written out in the prompt's texts
  DraftingParams drafting;
  // Texts beside the prompt in which drafts are looked up, nearest first: the rest of the document, other
  // files. What goes beyond kMostReferenceTokens is left out. Quickest where they are the last request's.
  std::vector<std::string> references;
  // Of these, how many of the first are of the prompt's own document: what followed there is mixed into the
  // model's law (decode/document_memory.h).
  std::uint32_t remembered = 0;
  // How many of those behind these are of other files that have a say as well.
  std::uint32_t remembered_beside = 0;
  // Ids of an earlier answer to the same request, from its first on: the text begins with them, and goes on
  // from there (TextRequest::barred says with what not). Read behind the prompt, so that what the KV cache
  // holds of them is not computed again.
  std::vector<TokenId> lead;
  // What the text has to be, all of it, what spells required_prefix included; null: anything.
  std::shared_ptr<const grammar::Grammar> grammar;
  // Text that the grammar reads before required_prefix: what stands before the cursor of a document. Read
  // with any whitespace where the grammar's layout has some.
  std::string grammar_prefix;
};

// Where a request stood. kQueued: nothing of it had been computed.
enum class Phase { kNone, kQueued, kPrefill, kDecode };
const char* phase_name(Phase phase);  // "none", "queued", "prefill", "decode"

struct Timings {
  // Of the prompt and the lead together; of these, how many were in the KV cache; and what was generated.
  std::uint32_t prompt_tokens = 0, reused_tokens = 0, generated_tokens = 0;
  double prefill_ms = 0, first_token_ms = 0, total_ms = 0;  // from the start of complete()
  Phase cancel_phase = Phase::kNone;                        // where a cancelled request stood
};

struct Completion : Generation {
  Timings timings;
  DraftingCounts drafting;
};

class Session {
 public:
  // `context`: capacity of the KV cache in tokens, 16..info().context_length.
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<Model> model, std::uint32_t context);
  ~Session();

  // Another session of the model that has seen the same text: it reuses what this one would, without a copy.
  // Memory is shared page by page until one of the two writes there; neither sees what the other does. Called
  // like complete(). OUT_OF_MEMORY, DEVICE_FAILED.
  Result<std::unique_ptr<Session>> fork() const;

  // A prompt that does not fit the context with at least one token to generate is CONTEXT_OVERFLOW.
  // An empty prompt stands for the model's first token (BOS, else EOS); INVALID_ARGUMENT where it has
  // neither, for a token of the prompt, the lead or the barred ones that is none of the model's, for a lead
  // that is no beginning of an answer, for max_tokens 0, and for sampling or drafting parameters outside
  // their range. With a grammar: GRAMMAR_REJECTS_PREFIX, GRAMMAR_TOO_LARGE, GRAMMAR_INVALID where it names a
  // token that the model has not. LOGITS_NOT_FINITE, ALL_TOKENS_MASKED, OUT_OF_MEMORY, DEVICE_FAILED. Reuses
  // every KV entry whose token is unchanged from the front; after a cancel or an error what is valid is kept.
  Result<Completion> complete(const CompletionRequest& request);

  // Raw logits [vocabulary] after the last of `ids` (1..context). Uses the same prefill and KV reuse as
  // complete(). Seen to be cancelled, it gives MODEL_CLOSED: only a model that goes away cancels it.
  Result<std::vector<float>> logits(std::span<const TokenId> ids, const std::atomic<bool>* cancel = nullptr);

 private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace emberline
