// Making JavaScript values. Each function gives null where the environment cannot make one (it is ending, or
// out of memory), and leaves no exception behind.
#pragma once

#include <napi.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <exception>
#include <span>
#include <string_view>
#include <vector>

#include "addon/guarded.h"
#include "base/status.h"

namespace emberline::addon {

void clear_exception(napi_env env);

napi_value js_undefined(napi_env env);
napi_value js_boolean(napi_env env, bool value);
napi_value js_number(napi_env env, double value);
napi_value js_string(napi_env env, std::string_view utf8);  // invalid UTF-8 becomes U+FFFD
napi_value js_array(napi_env env, const std::vector<napi_value>& elements);

// Copies into memory of the JavaScript heap: hosts that cage it accept no other.
napi_value js_typed_array(napi_env env, napi_typedarray_type type, const void* data, std::size_t count,
                          std::size_t element_bytes);

// A plain object of at most kMost properties, made without allocating. Properties are defined, not assigned,
// so that setters on Object.prototype do not run.
class ObjectBuilder {
 public:
  explicit ObjectBuilder(napi_env env) : env_(env) {}
  ObjectBuilder& add(const char* name, napi_value value);
  ObjectBuilder& add(const char* name, double value) { return add(name, js_number(env_, value)); }
  // Of nothing but a bool, which would be a number by the one above.
  template <std::same_as<bool> Boolean>
  ObjectBuilder& add(const char* name, Boolean value) {
    return add(name, js_boolean(env_, value));
  }
  ObjectBuilder& add(const char* name, std::string_view value) { return add(name, js_string(env_, value)); }
  napi_value build();

 private:
  static constexpr std::size_t kMost = 32;
  napi_env env_;
  std::size_t count_ = 0;  // of those that were added
  std::array<napi_property_descriptor, kMost> properties_;
};

napi_value js_ok(napi_env env, napi_value value);  // {ok: true, value}; OUT_OF_MEMORY when `value` is null
napi_value js_error(napi_env env,
                    const Status& status);  // {ok: false, error: {code, message}}; allocates nothing

// What `make` gives; OUT_OF_MEMORY where it throws for want of it.
template <typename Make>
napi_value js_made(napi_env env, const Make& make) {
  try {
    return make();
  } catch (const std::exception&) {
    return js_error(env, out_of_memory());
  }
}

}  // namespace emberline::addon
