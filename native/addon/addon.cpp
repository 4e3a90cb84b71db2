// The addon's entry point: one call for every JavaScript environment that loads it. The surface is described
// in core/engine/native_types.ts.
#include <napi.h>

#include <exception>

#include "addon/environment.h"
#include "addon/functions.h"
#include "addon/grammar_object.h"
#include "addon/inspection.h"
#include "addon/js_values.h"
#include "addon/model_loading.h"
#include "engine/model.h"

namespace emberline::addon {
namespace {

napi_value js_isas(napi_env env) {
  std::vector<napi_value> names;
  for (const std::string& name : available_isas()) names.push_back(js_string(env, name));
  return js_array(env, names);
}

Napi::Object initialize(Napi::Env env, Napi::Object exports) {
  if (Environment::create(env) == nullptr) return exports;
  const napi_value surface = ObjectBuilder(env)
                                 .add("version", std::string_view(EMBERLINE_VERSION))
                                 .add("isas", js_isas(env))
                                 .add("loadModel", js_function(env, "loadModel", load_model))
                                 .add("checkModel", js_function(env, "checkModel", check_model))
                                 .add("compileGrammar", js_function(env, "compileGrammar", compile_grammar))
                                 .add("inspect", js_function(env, "inspect", inspect))
                                 .add("readBandwidth", js_function(env, "readBandwidth", read_bandwidth))
                                 .build();
  return surface == nullptr ? exports : Napi::Object(env, surface);
}

}  // namespace
}  // namespace emberline::addon

static Napi::Object initialize_emberline(Napi::Env env, Napi::Object exports) {
  try {
    return emberline::addon::initialize(env, exports);
  } catch (const std::exception&) {
    return exports;  // no memory: what it should have is missing, and whoever loads it says so
  }
}
NODE_API_MODULE(emberline, initialize_emberline)
