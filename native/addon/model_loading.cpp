#include "addon/model_loading.h"

#include <memory>
#include <string>
#include <utility>

#include "addon/arguments.h"
#include "addon/functions.h"
#include "addon/js_values.h"
#include "addon/model_host.h"
#include "addon/model_object.h"
#include "addon/one_task.h"
#include "addon/utf16.h"
#include "base/try.h"
#include "engine/model_check.h"

namespace emberline::addon {
namespace {

constexpr double kMostContext = 1 << 24;  // longer than that of any model

ModelOptions read_options(Arguments& arguments, napi_value from) {
  const auto optional = [&](const char* property) { return arguments.optional_property(from, property); };
  const auto name = [&](napi_value value, const char* property) {
    return utf8_from_utf16(arguments.string(value, property, 32));
  };
  const auto optional_path = [&](const char* property) {
    const napi_value path = optional(property);
    return path == nullptr ? std::string() : arguments.path(path, property);
  };
  ModelOptions options;
  options.path = arguments.path(arguments.property(from, "path"), "path");
  options.threads =
      static_cast<int>(arguments.integer(arguments.property(from, "threads"), "threads", 0, 64));
  options.device = name(arguments.property(from, "device"), "device");
  if (options.device != "auto" && options.device != "cpu" && options.device != "metal") {
    arguments.fail("'device' must be 'auto', 'cpu' or 'metal'.");
  }
  if (const napi_value isa = optional("isa")) options.isa = name(isa, "isa");
  if (const napi_value kv_cache = optional("kvCache")) options.kv_cache = name(kv_cache, "kvCache");
  options.packed_folder = optional_path("packedFolder");
  options.metal_library = optional_path("metalLibrary");
  options.draft_path = optional_path("draftPath");
  if (const napi_value draft_optional = optional("draftOptional"))
    options.draft_optional = arguments.boolean(draft_optional, "draftOptional");
  if (const napi_value context = optional("context"))
    options.context = static_cast<std::uint32_t>(arguments.integer(context, "context", 0, kMostContext));
  if (const napi_value available = optional("availableMemory")) {
    options.available_memory =
        static_cast<std::uint64_t>(arguments.integer(available, "availableMemory", 0, kMaxSafeInteger));
  }
  return options;
}

}  // namespace

Napi::Value load_model(const Napi::CallbackInfo& call) {
  const Napi::Env env = call.Env();
  Arguments arguments(env);
  ModelOptions options = read_options(arguments, arguments.object(call[0], "options"));
  if (!arguments.ok()) return settled_error(env, arguments.status());

  Environment& environment = Environment::of(env);
  const auto host = std::make_shared<ModelHost>(environment);
  const std::weak_ptr<ModelHost> loaded = host;
  return environment.promise(env, nullptr, {}, [&](const Environment::Ticket& ticket) {
    host->load(env, ticket, std::move(options), [loaded](napi_env js) -> napi_value {
      const auto alive = loaded.lock();
      return alive == nullptr ? nullptr : make_model_object(js, alive);
    });
  });
}

Napi::Value check_model(const Napi::CallbackInfo& call) {
  const Napi::Env env = call.Env();
  Arguments arguments(env);
  const napi_value from = arguments.object(call[0], "options");
  ModelOptions options = read_options(arguments, from);
  const napi_value given_up = arguments.optional_property(from, "freed");
  const auto freed = static_cast<std::uint64_t>(
      given_up == nullptr ? 0 : arguments.integer(given_up, "freed", 0, kMaxSafeInteger));
  if (!arguments.ok()) return settled_error(env, arguments.status());
  struct Passed {};
  return run_once<Passed>(
      env,
      [options = std::move(options), freed]() -> Result<Passed> {
        TRY(emberline::check_model(options, freed));
        return Passed{};
      },
      [](napi_env js, Passed&) { return js_undefined(js); });
}

}  // namespace emberline::addon
