#include "engine/session.h"

#include <chrono>
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "decode/generation.h"
#include "engine/model_impl.h"
#include "engine/prompt_prefill.h"

namespace emberline {

namespace {

class Stopwatch {
 public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Status out_of_memory() {
  return Status(ErrorCode::kOutOfMemory,
                "There is not enough memory for a session; choose a smaller context.");
}

bool is_set(const std::atomic<bool>* cancel) {
  return cancel != nullptr && cancel->load(std::memory_order_relaxed);
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
       std::vector<TokenId> cached)
      : model(std::move(shared_model)),
        pass(std::move(forward_pass)),
        prefill(*pass, std::move(cached)),
        choice(model->tokenizer(), model->impl().token_sets) {}

  // A session whose cache holds `cached` already.
  static Result<std::unique_ptr<Session>> open(std::shared_ptr<Model> model,
                                               std::unique_ptr<ForwardPass> pass,
                                               std::vector<TokenId> cached);
  Result<std::vector<TokenId>> prompt_tokens(const CompletionRequest& request) const;
  Result<Completion> complete(const CompletionRequest& request);
  Result<std::vector<float>> logits(std::span<const TokenId> ids, const std::atomic<bool>* cancel);

  std::shared_ptr<Model> model;  // outlives what follows
  std::unique_ptr<ForwardPass> pass;
  PromptPrefill prefill;
  HostChoice choice;
  double step_ms = 0;  // GenerationParts::step_ms
};

Result<std::vector<TokenId>> Session::Impl::prompt_tokens(const CompletionRequest& request) const {
  const Tokenizer& tokenizer = model->tokenizer();
  std::vector<TokenId> ids = tokenizer.encode(request.prompt, request.parse_special);
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
  const Status sampling = check_sampling_params(request.sampling);
  if (!sampling.ok()) return sampling;

  Completion completion;
  Timings& timings = completion.timings;
  const auto cancelled_in = [&](Phase phase) {
    completion.stop = StopReason::kCancelled;
    timings.cancel_phase = phase;
    timings.total_ms = watch.milliseconds();
    return completion;
  };
  if (is_set(request.cancel)) return cancelled_in(Phase::kQueued);

  const Result<std::vector<TokenId>> prompt = prompt_tokens(request);
  if (!prompt.ok()) return prompt.error();
  timings.prompt_tokens = static_cast<std::uint32_t>(prompt.value().size());
  const Result<PrefillOutcome> prefilled = prefill.run(prompt.value(), request.cancel);
  if (!prefilled.ok()) return prefilled.error();
  timings.reused_tokens = prefilled.value().reused;
  timings.prefill_ms = watch.milliseconds();
  if (prefilled.value().cancelled) return cancelled_in(Phase::kPrefill);

  GenerationRequest wanted;
  wanted.required_prefix = request.required_prefix;
  wanted.max_tokens = request.max_tokens;
  wanted.single_line = request.single_line;
  wanted.ban_blank_start = request.ban_blank_start;
  wanted.sampling = request.sampling;
  wanted.cancel = request.cancel;
  wanted.on_text = [&](std::string_view piece) {
    if (timings.first_token_ms == 0) timings.first_token_ms = watch.milliseconds();
    if (request.on_text) request.on_text(piece);
  };
  const Model::Impl& loaded = model->impl();
  Result<Generation> made = generate({*pass, model->tokenizer(), loaded.token_sets, choice, step_ms},
                                     prompt.value(), std::move(wanted));
  if (!made.ok()) return made.error();
  Generation& generation = made.value();
  if (!generation.ids.empty()) {
    prefill.append(std::span(generation.ids).first(generation.ids.size() - 1));
    completion.confidence = generation.confidence;
  }
  completion.end_probability = generation.end_probability;
  timings.generated_tokens = static_cast<std::uint32_t>(generation.ids.size());
  completion.text = std::move(generation.text);
  completion.ids = std::move(generation.ids);
  if (generation.stop == StopReason::kCancelled) return cancelled_in(Phase::kDecode);
  completion.stop = generation.stop;
  timings.total_ms = watch.milliseconds();
  return completion;
}

Result<std::vector<float>> Session::Impl::logits(std::span<const TokenId> ids,
                                                 const std::atomic<bool>* cancel) {
  if (ids.empty() || ids.size() > pass->context()) {
    return Status(ErrorCode::kInvalidArgument,
                  "Logits need from 1 to " + std::to_string(pass->context()) + " token ids; pass as many.");
  }
  const Result<PrefillOutcome> prefilled = prefill.run(ids, cancel);
  if (!prefilled.ok()) return prefilled.error();
  if (prefilled.value().cancelled)
    return Status(ErrorCode::kModelClosed, "The model was closed; load it again.");
  std::vector<float> logits(pass->vocabulary());
  const Status read = pass->read_logits(0, logits);
  if (!read.ok()) return read;
  return logits;
}

Result<std::unique_ptr<Session>> Session::Impl::open(std::shared_ptr<Model> model,
                                                     std::unique_ptr<ForwardPass> pass,
                                                     std::vector<TokenId> cached) {
  auto impl = std::make_unique<Impl>(std::move(model), std::move(pass), std::move(cached));
  const Status reserved = impl->choice.reserve(impl->pass->vocabulary());
  if (!reserved.ok()) return reserved;
  return std::unique_ptr<Session>(new Session(std::move(impl)));
}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<Model> model, std::uint32_t context) {
  const std::uint32_t most = model->info().context_length;
  if (context < 16 || context > most) {
    return Status(ErrorCode::kInvalidArgument, "A session's context must be from 16 to " +
                                                   std::to_string(most) + " tokens for this model.");
  }
  try {
    Model::Impl& loaded = model->impl();
    Result<std::unique_ptr<ForwardPass>> pass = ForwardPass::create(loaded.on_device(), context);
    if (!pass.ok()) return pass.error();
    return Impl::open(std::move(model), std::move(pass).value(), {});
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

Result<std::unique_ptr<Session>> Session::fork() const {
  try {
    Result<std::unique_ptr<ForwardPass>> pass = impl_->pass->fork();
    if (!pass.ok()) return pass.error();
    return Impl::open(impl_->model, std::move(pass).value(), impl_->prefill.cached());
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::~Session() = default;

Result<Completion> Session::complete(const CompletionRequest& request) {
  try {
    return impl_->complete(request);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

Result<std::vector<float>> Session::logits(std::span<const TokenId> ids, const std::atomic<bool>* cancel) {
  try {
    return impl_->logits(ids, cancel);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace emberline
