// JavaScript functions over native handles. A function owns a share of its handle and never looks at `this`,
// so calling it detached or on another object is as good as calling it on its own.
#pragma once

#include <napi.h>

#include <memory>
#include <utility>

#include "addon/environment.h"
#include "addon/guarded.h"
#include "addon/js_values.h"

namespace emberline::addon {

// A promise that is settled already.
inline Napi::Value settled(Napi::Env env, napi_value value) {
  const auto deferred = Napi::Promise::Deferred::New(env);
  if (value != nullptr) deferred.Resolve(value);
  return deferred.Promise();
}
inline Napi::Value settled_error(Napi::Env env, const Status& status) {
  return settled(env, js_error(env, status));
}

// `body` takes the call. OUT_OF_MEMORY, settled, where there is not enough for it.
template <typename Body>
napi_value js_function(Napi::Env env, const char* name, Body body) {
  return Napi::Function::New(
      env,
      [body = std::move(body)](const Napi::CallbackInfo& info) -> Napi::Value {
        const Result<Napi::Value> answer = guarded([&]() -> Result<Napi::Value> { return body(info); });
        return answer.ok() ? answer.value() : settled_error(info.Env(), answer.error());
      },
      name);
}

// The same where `body` takes the handle and the call.
template <typename Handle>
napi_value js_function(Napi::Env env, const char* name, std::shared_ptr<Handle> handle,
                       Napi::Value (*body)(const std::shared_ptr<Handle>&, const Napi::CallbackInfo&)) {
  return js_function(env, name, [handle = std::move(handle), body](const Napi::CallbackInfo& info) {
    return body(handle, info);
  });
}

}  // namespace emberline::addon
