#include "addon/model_object.h"

#include <string>

#include "addon/arguments.h"
#include "addon/functions.h"
#include "addon/grammar_object.h"
#include "addon/js_dispatches.h"
#include "addon/js_values.h"
#include "addon/session_object.h"
#include "addon/utf16.h"
#include "base/try.h"
#include "engine/prompt.h"
#include "model/scratch.h"

namespace emberline::addon {
namespace {

using SharedModel = std::shared_ptr<ModelHandle>;

// Undefined where the file names none of them.
napi_value js_fim(napi_env env, const ModelInfo& info) {
  if (info.fim == FimTokens()) return js_undefined(env);
  ObjectBuilder fim(env);
  fim.add("layout", std::string_view(info.fim_layout));
  const auto add = [&](const char* name, TokenId token) {
    if (token != kNoToken) fim.add(name, token);
  };
  add("prefix", info.fim.prefix);
  add("suffix", info.fim.suffix);
  add("middle", info.fim.middle);
  add("separator", info.fim.separator);
  add("repository", info.fim.repository);
  if (!info.fim.files.empty()) fim.add("files", info.fim.files);
  return fim.build();
}

// Undefined where the file says nothing of it.
napi_value js_chat(napi_env env, const ModelInfo& info) {
  if (info.chat_template.empty() && info.begin_token.empty() && info.end_token.empty())
    return js_undefined(env);
  return ObjectBuilder(env)
      .add("template", std::string_view(info.chat_template))
      .add("beginToken", std::string_view(info.begin_token))
      .add("endToken", std::string_view(info.end_token))
      .build();
}

napi_value js_info(napi_env env, const ModelInfo& info) {
  return ObjectBuilder(env)
      .add("name", std::string_view(info.name))
      .add("architecture", std::string_view(info.architecture))
      .add("fileBytes", static_cast<double>(info.file_bytes))
      .add("parameters", static_cast<double>(info.parameters))
      .add("quantization", std::string_view(info.quantization))
      .add("layers", info.layers)
      .add("width", info.width)
      .add("heads", info.heads)
      .add("kvHeads", info.kv_heads)
      .add("vocabulary", info.vocabulary)
      .add("contextLength", info.context_length)
      .add("preTokenizer", std::string_view(info.pre_tokenizer))
      .add("fim", js_fim(env, info))
      .add("chat", js_chat(env, info))
      .add("device", std::string_view(info.device))
      .add("deviceReason", std::string_view(info.device_reason))
      .add("kvCache", std::string_view(info.kv_cache))
      .add("kvCacheReason", std::string_view(info.kv_cache_reason))
      .add("draft", std::string_view(info.draft))
      .add("heldBytes", static_cast<double>(info.held_bytes))
      .add("packedCopy", info.packed_copy)
      .add("loadMs", info.load_ms)
      .build();
}

// A promise for `work`, done on the model's thread.
template <typename T>
Napi::Value promise_of(const SharedModel& handle, Napi::Env env, std::function<Result<T>()> work,
                       std::function<napi_value(napi_env, T&)> make_value) {
  return Environment::of(env).promise(env, handle, {}, [&](const Environment::Ticket& ticket) {
    handle->host->submit<T>(env, ticket, std::move(work), std::move(make_value));
  });
}

Napi::Value info(const SharedModel& handle, const Napi::CallbackInfo& call) {
  return {call.Env(), js_info(call.Env(), handle->host->info())};
}

Napi::Value progress(const SharedModel& handle, const Napi::CallbackInfo& call) {
  const Progress& progress = handle->host->progress();
  const napi_value object = ObjectBuilder(call.Env())
                                .add("turns", static_cast<double>(handle->host->turns()))
                                .add("phase", std::string_view(progress.decodes ? "decode" : "prefill"))
                                .add("promptTokens", progress.prompt_tokens.load())
                                .add("generatedTokens", progress.generated_tokens.load())
                                .build();
  return {call.Env(), object};
}

Napi::Value create_session(const SharedModel& handle, const Napi::CallbackInfo& call) {
  Arguments arguments(call.Env());
  const napi_value options = arguments.object(call[0], "options");
  const double context = arguments.integer(arguments.property(options, "context"), "context", 16,
                                           handle->host->info().context_length);
  if (!arguments.ok()) return settled_error(call.Env(), arguments.status());
  ModelHost* host = handle->host.get();
  return promise_of<ModelHost::SessionKey>(
      handle, call.Env(),
      [host, context] { return host->create_session(static_cast<std::uint32_t>(context)); },
      // Weak: this travels through the engine thread, which must not be the last to let go of the model.
      // Until the answer is delivered the promise holds it.
      [weak = std::weak_ptr(handle)](napi_env env, ModelHost::SessionKey& key) {
        return make_session_object(env, weak.lock(), key);
      });
}

Napi::Value tokenize(const SharedModel& handle, const Napi::CallbackInfo& call) {
  Arguments arguments(call.Env());
  auto text = std::make_shared<std::u16string>(arguments.string(call[0], "text", kMaxText));
  const bool parse_special = arguments.boolean(call[1], "parseSpecial");
  if (!arguments.ok()) return settled_error(call.Env(), arguments.status());
  ModelHost* host = handle->host.get();
  using Ids = std::vector<TokenId>;
  return promise_of<Ids>(
      handle, call.Env(),
      [host, text, parse_special]() -> Result<Ids> {
        return host->tokenizer().encode(utf8_from_utf16(*text), parse_special);
      },
      [](napi_env env, Ids& ids) {
        return js_typed_array(env, napi_uint32_array, ids.data(), ids.size(), sizeof(TokenId));
      });
}

Napi::Value detokenize(const SharedModel& handle, const Napi::CallbackInfo& call) {
  Arguments arguments(call.Env());
  auto ids = std::make_shared<std::vector<TokenId>>(arguments.ids(call[0], "ids", kMaxIds));
  if (!arguments.ok()) return settled_error(call.Env(), arguments.status());
  ModelHost* host = handle->host.get();
  return promise_of<std::string>(
      handle, call.Env(),
      [host, ids]() -> Result<std::string> {
        TRY(check_tokens(*ids, host->tokenizer().vocabulary_size(), "text"));
        return host->tokenizer().decode(*ids);
      },
      [](napi_env env, std::string& bytes) {
        return js_typed_array(env, napi_uint8_array, bytes.data(), bytes.size(), 1);
      });
}

Napi::Value logits(const SharedModel& handle, const Napi::CallbackInfo& call) {
  Arguments arguments(call.Env());
  auto ids = std::make_shared<std::vector<TokenId>>(
      arguments.ids(call[0], "ids", handle->host->info().context_length));
  if (arguments.ok() && ids->empty()) arguments.fail("'ids' must have at least one element.");
  if (!arguments.ok()) return settled_error(call.Env(), arguments.status());
  ModelHost* host = handle->host.get();
  using Logits = std::vector<float>;
  return promise_of<Logits>(
      handle, call.Env(), [host, ids] { return host->logits(*ids); },
      [](napi_env env, Logits& values) {
        return js_typed_array(env, napi_float32_array, values.data(), values.size(), sizeof(float));
      });
}

Napi::Value dispatches(const SharedModel& handle, const Napi::CallbackInfo& call) {
  Arguments arguments(call.Env());
  const auto rows = static_cast<std::uint32_t>(arguments.integer(call[0], "rows", 1, kPrefillRows));
  const bool sampled = arguments.boolean(call[1], "sampled");
  if (!arguments.ok()) return settled_error(call.Env(), arguments.status());
  ModelHost* host = handle->host.get();
  using Dispatches = std::vector<DispatchDescription>;
  return promise_of<Dispatches>(
      handle, call.Env(), [host, rows, sampled] { return host->dispatches(rows, sampled); },
      [](napi_env env, Dispatches& made) { return js_dispatches(env, made); });
}

Napi::Value mask_times(const SharedModel& handle, const Napi::CallbackInfo& call) {
  Arguments arguments(call.Env());
  auto grammar = read_grammar(arguments, call.Env(), call[0]);
  auto instance = std::make_shared<std::u16string>(arguments.string(call[1], "instance", kMaxGrammar));
  if (!arguments.ok()) return settled_error(call.Env(), arguments.status());
  ModelHost* host = handle->host.get();
  using Times = std::vector<double>;
  return promise_of<Times>(
      handle, call.Env(),
      [host, grammar = std::move(grammar), instance] {
        return host->mask_times(grammar, utf8_from_utf16(*instance));
      },
      [](napi_env env, Times& times) {
        return js_typed_array(env, napi_float64_array, times.data(), times.size(), sizeof(double));
      });
}

Napi::Value close(const SharedModel& handle, const Napi::CallbackInfo& call) {
  handle->host->close();
  return Environment::of(call.Env()).promise(call.Env(), handle, {}, [&](const Environment::Ticket& ticket) {
    handle->host->when_closed(call.Env(), ticket);
  });
}

}  // namespace

napi_value make_model_object(napi_env env, std::shared_ptr<ModelHost> host) {
  const auto handle = std::make_shared<ModelHandle>(std::move(host));
  return ObjectBuilder(env)
      .add("info", js_function(env, "info", handle, info))
      .add("progress", js_function(env, "progress", handle, progress))
      .add("createSession", js_function(env, "createSession", handle, create_session))
      .add("tokenize", js_function(env, "tokenize", handle, tokenize))
      .add("detokenize", js_function(env, "detokenize", handle, detokenize))
      .add("logits", js_function(env, "logits", handle, logits))
      .add("dispatches", js_function(env, "dispatches", handle, dispatches))
      .add("maskTimes", js_function(env, "maskTimes", handle, mask_times))
      .add("close", js_function(env, "close", handle, close))
      .build();
}

}  // namespace emberline::addon
