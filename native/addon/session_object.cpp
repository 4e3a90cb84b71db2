#include "addon/session_object.h"

#include <exception>
#include <limits>
#include <utility>

#include "addon/arguments.h"
#include "addon/functions.h"
#include "addon/grammar_object.h"
#include "addon/js_values.h"
#include "addon/model_object.h"

namespace emberline::addon {
namespace {

struct SessionHandle {
  SessionHandle(std::shared_ptr<ModelHandle> owner, ModelHost::SessionKey session)
      : model(std::move(owner)), key(session) {}
  SessionHandle(const SessionHandle&) = delete;
  SessionHandle& operator=(const SessionHandle&) = delete;
  // No request is under way: each of them keeps the handle.
  ~SessionHandle() {
    if (closed) return;
    try {
      model->host->close_session(nullptr, key, nullptr);
    } catch (const std::exception&) {
      // No memory to ask: the session ends with its model.
    }
  }

  ModelHost& host() const { return *model->host; }

  const std::shared_ptr<ModelHandle> model;
  const ModelHost::SessionKey key;
  bool closed = false;
};

// Held by the promise of a request: takes it out of its host's table when that is settled. JS thread.
struct RequestUnderWay {
  RequestUnderWay(std::shared_ptr<SessionHandle> owner, std::uint64_t request)
      : session(std::move(owner)), id(request) {}
  RequestUnderWay(const RequestUnderWay&) = delete;
  RequestUnderWay& operator=(const RequestUnderWay&) = delete;
  ~RequestUnderWay() { session->host().forget_request(session->key, id); }

  const std::shared_ptr<SessionHandle> session;
  const std::uint64_t id;
};

constexpr double kMaxFloat = std::numeric_limits<float>::max();
constexpr double kMaxTokens = 1 << 24;
constexpr std::size_t kMaxReferences = 64;
constexpr std::size_t kMaxLead = 4096;
constexpr std::size_t kMaxBarred = 1024;

SamplingParams read_sampling(Arguments& arguments, napi_value from) {
  const napi_value object = arguments.object(from, "sampling");
  const auto number = [&](const char* name, double low, double high) {
    return arguments.number(arguments.property(object, name), name, low, high);
  };
  const auto integer = [&](const char* name, double low, double high) {
    return arguments.integer(arguments.property(object, name), name, low, high);
  };
  SamplingParams params;
  params.temperature = static_cast<float>(number("temperature", -kMaxFloat, kMaxFloat));
  params.top_k = static_cast<std::int32_t>(
      integer("topK", std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
  params.top_p = static_cast<float>(number("topP", -kMaxFloat, kMaxFloat));
  params.min_p = static_cast<float>(number("minP", -kMaxFloat, kMaxFloat));
  params.repeat_penalty = static_cast<float>(number("repeatPenalty", 0.01, 100));
  params.penalty_window = static_cast<std::uint32_t>(integer("penaltyWindow", 0, kMaxTokens));
  params.seed = static_cast<std::uint64_t>(integer("seed", 0, kMaxSafeInteger));
  return params;
}

DraftingParams read_drafting(Arguments& arguments, napi_value from) {
  const napi_value object = arguments.object(from, "drafting");
  const auto flag = [&](const char* name) {
    return arguments.boolean(arguments.property(object, name), name);
  };
  DraftingParams params;
  params.lookup = flag("lookup");
  params.model = flag("model");
  params.adaptive = flag("adaptive");
  params.most = static_cast<std::uint32_t>(
      arguments.integer(arguments.property(object, "most"), "most", 1, kMostDrafted));
  return params;
}

CompletionJob read_request(Arguments& arguments, napi_env env, napi_value from) {
  const napi_value object = arguments.object(from, "request");
  const auto value = [&](const char* name) { return arguments.property(object, name); };
  CompletionJob job;
  job.id = static_cast<std::uint64_t>(arguments.integer(value("id"), "id", 0, kMaxSafeInteger));
  job.prompt = arguments.prompt(value("prompt"), "prompt");
  job.required_prefix = arguments.string(value("requiredPrefix"), "requiredPrefix", kMaxPrompt);
  job.request.parse_special = arguments.boolean(value("parseSpecial"), "parseSpecial");
  job.request.max_tokens =
      static_cast<std::uint32_t>(arguments.integer(value("maxTokens"), "maxTokens", 1, kMaxTokens));
  job.request.single_line = arguments.boolean(value("singleLine"), "singleLine");
  job.request.ban_blank_start = arguments.boolean(value("banBlankStart"), "banBlankStart");
  job.request.least_confidence = arguments.number(value("leastConfidence"), "leastConfidence", 0, 1);
  job.request.sampling = read_sampling(arguments, value("sampling"));
  job.request.drafting = read_drafting(arguments, value("drafting"));
  job.references = arguments.strings(value("references"), "references", kMaxReferences, kMaxPrompt);
  job.request.remembered =
      static_cast<std::uint32_t>(arguments.integer(value("remembered"), "remembered", 0, kMaxReferences));
  job.request.remembered_beside = static_cast<std::uint32_t>(
      arguments.integer(value("rememberedBeside"), "rememberedBeside", 0, kMaxReferences));
  job.request.lead = arguments.ids(value("lead"), "lead", kMaxLead);
  job.request.barred = arguments.ids(value("barred"), "barred", kMaxBarred);
  if (const napi_value grammar = arguments.optional_property(object, "grammar")) {
    const napi_value use = arguments.object(grammar, "grammar");
    job.request.grammar = read_grammar(arguments, env, arguments.property(use, "grammar"));
    job.grammar_prefix = arguments.string(arguments.property(use, "prefix"), "prefix", kMaxText);
  }
  return job;
}

Napi::Value complete(const std::shared_ptr<SessionHandle>& handle, const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Arguments arguments(env);
  CompletionJob job = read_request(arguments, env, info[0]);
  const Napi::Function on_text = arguments.optional_function(info[1], "onText");
  job.streams = !on_text.IsEmpty();
  // After every getter has run: one of them may have closed the session or begun the same request.
  ModelHost& host = handle->host();
  if (arguments.ok() && host.has_request(handle->key, job.id)) {
    arguments.fail("A request with id " + std::to_string(job.id) +
                   " is under way in this session; choose another id.");
  }
  if (!arguments.ok()) return settled_error(env, arguments.status());
  if (handle->closed) return settled_error(env, session_closed_error());
  const auto under_way = std::make_shared<RequestUnderWay>(handle, job.id);
  return Environment::of(env).promise(env, under_way, on_text, [&](const Environment::Ticket& ticket) {
    host.complete(env, ticket, handle->key, std::move(job));
  });
}

Napi::Value cancel(const std::shared_ptr<SessionHandle>& handle, const Napi::CallbackInfo& info) {
  Arguments arguments(info.Env());
  const double id = arguments.integer(info[0], "id", 0, kMaxSafeInteger);
  if (arguments.ok()) handle->host().cancel(info.Env(), handle->key, static_cast<std::uint64_t>(id));
  return info.Env().Undefined();
}

Napi::Value fork(const std::shared_ptr<SessionHandle>& handle, const Napi::CallbackInfo& info) {
  if (handle->closed) return settled_error(info.Env(), session_closed_error());
  ModelHost* host = &handle->host();
  const ModelHost::SessionKey origin = handle->key;
  return Environment::of(info.Env()).promise(info.Env(), handle, {}, [&](const Environment::Ticket& ticket) {
    host->submit<ModelHost::SessionKey>(
        info.Env(), ticket, [host, origin] { return host->fork_session(origin); },
        // Weak, as where a session is created: the promise holds the model until the answer is delivered.
        [weak = std::weak_ptr(handle->model)](napi_env env, ModelHost::SessionKey& key) {
          return make_session_object(env, weak.lock(), key);
        });
  });
}

Napi::Value close(const std::shared_ptr<SessionHandle>& handle, const Napi::CallbackInfo& info) {
  return Environment::of(info.Env()).promise(info.Env(), handle, {}, [&](const Environment::Ticket& ticket) {
    handle->host().close_session(info.Env(), handle->key, ticket);
    handle->closed = true;
  });
}

}  // namespace

napi_value js_completion(napi_env env, const Completion& completion, const AddonTimings& timings) {
  const Timings& engine = completion.timings;
  const bool spoke = engine.first_token_ms > 0;
  const napi_value js_timings = ObjectBuilder(env)
                                    .add("promptTokens", engine.prompt_tokens)
                                    .add("reusedTokens", engine.reused_tokens)
                                    .add("generatedTokens", engine.generated_tokens)
                                    .add("queueMs", timings.queue_ms)
                                    .add("prefillMs", engine.prefill_ms)
                                    .add("firstTokenMs", spoke ? timings.queue_ms + engine.first_token_ms : 0)
                                    .add("totalMs", timings.total_ms)
                                    .add("cancelMs", timings.cancel_ms)
                                    .add("cancelPhase", std::string_view(phase_name(engine.cancel_phase)))
                                    .build();
  const DraftingCounts& drafting = completion.drafting;
  const napi_value js_drafting = ObjectBuilder(env)
                                     .add("drafted", drafting.drafted)
                                     .add("accepted", drafting.accepted)
                                     .add("batches", drafting.batches)
                                     .add("plainSteps", drafting.plain_steps)
                                     .add("savedMs", drafting.saved_ms)
                                     .build();
  return ObjectBuilder(env)
      .add("text", std::string_view(completion.text))
      .add("stop", std::string_view(stop_reason_name(completion.stop)))
      .add("ids", js_typed_array(env, napi_uint32_array, completion.ids.data(), completion.ids.size(),
                                 sizeof(TokenId)))
      .add("idProbabilities", js_typed_array(env, napi_float32_array, completion.id_probabilities.data(),
                                             completion.id_probabilities.size(), sizeof(float)))
      .add("confidence", completion.confidence)
      .add("tokenProbabilities",
           js_typed_array(env, napi_float32_array, completion.token_probabilities.data(),
                          completion.token_probabilities.size(), sizeof(float)))
      .add("tokenEnds", js_typed_array(env, napi_uint32_array, completion.token_ends.data(),
                                       completion.token_ends.size(), sizeof(std::uint32_t)))
      .add("endProbability", completion.end_probability)
      .add("barredProbability", completion.barred_probability)
      .add("grammarEnded", completion.grammar_ended)
      .add("timings", js_timings)
      .add("drafting", js_drafting)
      .build();
}

napi_value make_session_object(napi_env env, std::shared_ptr<ModelHandle> model, std::uint64_t key) {
  std::shared_ptr<SessionHandle> handle;
  try {
    handle = std::make_shared<SessionHandle>(model, key);
  } catch (const std::exception&) {
    const SessionHandle nobodys(std::move(model), key);  // closes it
    throw;
  }
  return ObjectBuilder(env)
      .add("complete", js_function(env, "complete", handle, complete))
      .add("cancel", js_function(env, "cancel", handle, cancel))
      .add("fork", js_function(env, "fork", handle, fork))
      .add("close", js_function(env, "close", handle, close))
      .build();
}

}  // namespace emberline::addon
