// JavaScript functions over native handles. A function owns a share of its handle and never looks at `this`,
// so calling it detached or on another object is as good as calling it on its own.
#pragma once

#include <napi.h>

#include <exception>
#include <memory>
#include <utility>

#include "addon/environment.h"
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

// `body` takes the handle and the call. What it throws for want of memory becomes a settled OUT_OF_MEMORY.
template <typename Handle>
napi_value js_function(Napi::Env env, const char* name, std::shared_ptr<Handle> handle,
                       Napi::Value (*body)(const std::shared_ptr<Handle>&, const Napi::CallbackInfo&)) {
  return Napi::Function::New(
      env,
      [handle = std::move(handle), body](const Napi::CallbackInfo& info) -> Napi::Value {
        try {
          return body(handle, info);
        } catch (const std::exception&) {
          return settled_error(info.Env(),
                               {ErrorCode::kOutOfMemory,
                                "Not enough memory for this call; close other programs and try again."});
        }
      },
      name);
}

}  // namespace emberline::addon
