#include "engine/session.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "base/cancel.h"
#include "base/stopwatch.h"
#include "base/try.h"
#include "decode/generation.h"
#include "decode/grammar_constraint.h"
#include "decode/prompt_prefill.h"
#include "decode/speculation/draft_model.h"
#include "engine/model_impl.h"
#include "engine/reference_texts.h"

namespace emberline {

namespace {

// Null where the model has no draft model. Its context may be shorter: behind it, it drafts nothing.
Result<std::unique_ptr<DraftModel>> open_draft(Model::Impl& model, std::uint32_t context) {
  if (model.draft == nullptr) return std::unique_ptr<DraftModel>();
  Model::Impl& draft = model.draft->impl();
  TRY_VALUE(std::unique_ptr<ForwardPass> pass,
            ForwardPass::create(draft.on_device(), std::min(context, draft.info.context_length)));
  return DraftModel::create(std::move(pass), model.info.vocabulary, model.sampling_kernels);
}

}  // namespace

const char* phase_name(Phase phase) {
  switch (phase) {
    case Phase::kNone: return "none";
    case Phase::kQueued: return "queued";
    case Phase::kPrefill: return "prefill";
    case Phase::kDecode: return "decode";
  }
  return "none";
}

struct Session::Impl {
  Impl(std::shared_ptr<Model> shared_model, std::unique_ptr<ForwardPass> forward_pass,
       std::vector<TokenId> cached, std::unique_ptr<DraftModel> draft_model)
      : model(std::move(shared_model)),
        pass(std::move(forward_pass)),
        prefill(*pass, std::move(cached)),
        choice(model->tokenizer(), model->impl().token_sets, model->impl().sampling_kernels),
        draft(std::move(draft_model)),
        speculation(draft.get()) {}

  // A session whose cache holds `cached` already. `draft`: null where the model has none.
  static Result<std::unique_ptr<Session>> open(std::shared_ptr<Model> model,
                                               std::unique_ptr<ForwardPass> pass, std::vector<TokenId> cached,
                                               std::unique_ptr<DraftModel> draft);
  Result<std::vector<TokenId>> prompt_tokens(const CompletionRequest& request) const;
  void begin_drafting(const CompletionRequest& request, bool text_changed);
  void begin_memory(const CompletionRequest& request);
  // Null where the request has no grammar.
  Result<std::unique_ptr<GrammarConstraint>> begin_grammar(const CompletionRequest& request);
  Result<Completion> complete(const CompletionRequest& request);
  // After std::bad_alloc, which may have come in the middle of a change: what only saves time is made anew.
  void forget_half_done();
  Result<std::vector<float>> logits(std::span<const TokenId> ids, const std::atomic<bool>* cancel);

  std::shared_ptr<Model> model;  // outlives what follows
  std::unique_ptr<ForwardPass> pass;
  PromptPrefill prefill;
  HostChoice choice;
  double step_ms = 0;                 // GenerationParts::step_ms
  std::unique_ptr<DraftModel> draft;  // null: none
  Speculation speculation;
  DocumentMemory memory;
  ReferenceTexts references;
  std::unique_ptr<GrammarMatcher> matcher;  // of the last grammar, whose next text is quicker for it
};

void Session::Impl::begin_drafting(const CompletionRequest& request, bool text_changed) {
  speculation.begin(request.drafting, request.sampling, text_changed, [this, &request] {
    return references.read(request.references, request.references.size(), model->tokenizer(),
                           kMostReferenceTokens, request.cancel);
  });
}

void Session::Impl::begin_memory(const CompletionRequest& request) {
  const std::size_t count = std::size_t{request.remembered} + request.remembered_beside;
  if (count == 0) return memory.begin({});
  // The first token waits for these; the other texts are read for the first draft.
  const std::vector<ReferenceText> texts =
      references.read(request.references, count, model->tokenizer(), kMostReferenceTokens, request.cancel);
  const std::span<const ReferenceText> all(texts);
  const std::size_t own = std::min<std::size_t>(request.remembered, all.size());
  memory.begin(all.first(own), all.subspan(own));
}

Result<std::unique_ptr<GrammarConstraint>> Session::Impl::begin_grammar(const CompletionRequest& request) {
  if (request.grammar == nullptr) return std::unique_ptr<GrammarConstraint>();
  if (matcher == nullptr || matcher->grammar() != request.grammar || !matcher->status().ok()) {
    TRY_VALUE(auto tokens, model->impl().tokens_of_grammars());
    matcher = std::make_unique<GrammarMatcher>(request.grammar, std::move(tokens));
  }
  return GrammarConstraint::begin(*matcher, request.grammar_prefix, request.required_prefix);
}

Result<std::vector<TokenId>> Session::Impl::prompt_tokens(const CompletionRequest& request) const {
  const Tokenizer& tokenizer = model->tokenizer();
  TRY_VALUE(std::vector<TokenId> ids, encode_prompt(tokenizer, request.prompt, request.parse_special));
  const TokenId bos = tokenizer.bos();
  if (tokenizer.adds_bos() && bos != kNoToken && (ids.empty() || ids.front() != bos))
    ids.insert(ids.begin(), bos);
  if (ids.empty()) {
    const TokenId first = bos != kNoToken ? bos : tokenizer.eos();
    if (first == kNoToken) {
      return Status(ErrorCode::kInvalidArgument,
                    "The prompt is empty and this model needs one; pass some text.");
    }
    ids.push_back(first);
  }
  TRY(check_tokens(request.lead, pass->vocabulary(), "lead"));
  TRY(check_tokens(request.barred, pass->vocabulary(), "barred tokens"));
  ids.insert(ids.end(), request.lead.begin(), request.lead.end());
  if (ids.size() >= pass->context()) {
    return Status(ErrorCode::kContextOverflow,
                  "The prompt has " + std::to_string(ids.size()) + " tokens and the context holds " +
                      std::to_string(pass->context()) +
                      "; shorten the prompt or open a session with a larger context.");
  }
  return ids;
}

Result<Completion> Session::Impl::complete(const CompletionRequest& request) {
  const Stopwatch watch;
  if (request.max_tokens < 1) {
    return Status(ErrorCode::kInvalidArgument, "max_tokens must be at least 1.");
  }
  TRY(check_sampling_params(request.sampling));
  TRY(check_drafting_params(request.drafting));

  Completion completion;
  Timings& timings = completion.timings;
  const auto cancelled_in = [&](Phase phase) {
    completion.stop = StopReason::kCancelled;
    timings.cancel_phase = phase;
    timings.total_ms = watch.milliseconds();
    return completion;
  };
  if (is_cancelled(request.cancel)) return cancelled_in(Phase::kQueued);

  TRY_VALUE(const std::unique_ptr<GrammarConstraint> constraint, begin_grammar(request));
  TRY_VALUE(const std::vector<TokenId> prompt, prompt_tokens(request));
  timings.prompt_tokens = static_cast<std::uint32_t>(prompt.size());
  TRY_VALUE(const PrefillOutcome prefilled, prefill.run(prompt, request.cancel, request.progress));
  timings.reused_tokens = prefilled.reused;
  timings.prefill_ms = watch.milliseconds();
  if (prefilled.cancelled) return cancelled_in(Phase::kPrefill);
  if (request.progress != nullptr) {
    request.progress->prompt_tokens = timings.prompt_tokens;
    request.progress->decodes = true;
  }

  GenerationRequest wanted{static_cast<const TextRequest&>(request), constraint.get(), request.lead.size()};
  wanted.on_text = [&](std::string_view piece) {
    if (timings.first_token_ms == 0) timings.first_token_ms = watch.milliseconds();
    if (request.on_text) request.on_text(piece);
  };
  begin_drafting(request, 2 * timings.reused_tokens < timings.prompt_tokens);
  begin_memory(request);
  const Model::Impl& loaded = model->impl();
  TRY_VALUE(Generation made,
            generate({*pass, model->tokenizer(), loaded.token_sets, choice, step_ms, &speculation, &memory},
                     prompt, std::move(wanted)));
  static_cast<Generation&>(completion) = std::move(made);
  const std::vector<TokenId>& ids = completion.ids;
  if (!ids.empty()) prefill.append(std::span(ids).first(ids.size() - 1));
  completion.drafting = speculation.counts();
  timings.generated_tokens = static_cast<std::uint32_t>(ids.size());
  if (completion.stop == StopReason::kCancelled) return cancelled_in(Phase::kDecode);
  timings.total_ms = watch.milliseconds();
  return completion;
}

void Session::Impl::forget_half_done() {
  matcher.reset();
}

Result<std::vector<float>> Session::Impl::logits(std::span<const TokenId> ids,
                                                 const std::atomic<bool>* cancel) {
  if (ids.empty() || ids.size() > pass->context()) {
    return Status(ErrorCode::kInvalidArgument,
                  "Logits need from 1 to " + std::to_string(pass->context()) + " token ids; pass as many.");
  }
  TRY_VALUE(const PrefillOutcome prefilled, prefill.run(ids, cancel));
  if (prefilled.cancelled) return Status(ErrorCode::kModelClosed, "The model was closed; load it again.");
  std::vector<float> logits(pass->vocabulary());
  TRY(pass->read_logits(0, logits));
  return logits;
}

Result<std::unique_ptr<Session>> Session::Impl::open(std::shared_ptr<Model> model,
                                                     std::unique_ptr<ForwardPass> pass,
                                                     std::vector<TokenId> cached,
                                                     std::unique_ptr<DraftModel> draft) {
  auto impl = std::make_unique<Impl>(std::move(model), std::move(pass), std::move(cached), std::move(draft));
  impl->choice.reserve(impl->pass->vocabulary());
  return std::unique_ptr<Session>(new Session(std::move(impl)));
}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<Model> model, std::uint32_t context) {
  const std::uint32_t most = model->info().context_length;
  if (context < 16 || context > most) {
    return Status(ErrorCode::kInvalidArgument, "A session's context must be from 16 to " +
                                                   std::to_string(most) + " tokens for this model.");
  }
  Model::Impl& loaded = model->impl();
  TRY_VALUE(std::unique_ptr<ForwardPass> pass, ForwardPass::create(loaded.on_device(), context));
  TRY_VALUE(std::unique_ptr<DraftModel> draft, open_draft(loaded, context));
  return Impl::open(std::move(model), std::move(pass), {}, std::move(draft));
}

Result<std::unique_ptr<Session>> Session::fork() const {
  TRY_VALUE(std::unique_ptr<ForwardPass> pass, impl_->pass->fork());
  std::unique_ptr<DraftModel> draft;
  if (impl_->draft != nullptr) {
    TRY_VALUE(draft, impl_->draft->fork());
  }
  return Impl::open(impl_->model, std::move(pass), impl_->prefill.cached(), std::move(draft));
}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::~Session() = default;

Result<Completion> Session::complete(const CompletionRequest& request) {
  const Model::Impl& model = impl_->model->impl();
  TRY(model.check_file());  // before a GPU reads where there is no file any more
  try {
    TRY_VALUE(Completion completion, impl_->complete(request));
    TRY(model.check_file());
    return completion;
  } catch (const std::bad_alloc&) {
    impl_->forget_half_done();
    throw;
  }
}

Result<std::vector<float>> Session::logits(std::span<const TokenId> ids, const std::atomic<bool>* cancel) {
  const Model::Impl& model = impl_->model->impl();
  TRY(model.check_file());
  TRY_VALUE(std::vector<float> logits, impl_->logits(ids, cancel));
  TRY(model.check_file());
  return logits;
}

}  // namespace emberline
