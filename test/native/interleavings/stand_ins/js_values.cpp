// What the addon's workers make of JavaScript values, where a test reads them.
#include "addon/js_values.h"

#include "addon/session_object.h"

namespace emberline::addon {

napi_value js_undefined(napi_env env) {
  return env->add({});
}
napi_value js_ok(napi_env, napi_value value) {
  return value;
}
napi_value js_error(napi_env env, const Status& status) {
  return env->add({status.code(), 0, {}});
}
napi_value js_completion(napi_env env, const Completion& completion, const AddonTimings&) {
  return env->add({ErrorCode::kOk, 0, completion});
}

}  // namespace emberline::addon
