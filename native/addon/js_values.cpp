#include "addon/js_values.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace emberline::addon {

void clear_exception(napi_env env) {
  bool pending = false;
  if (napi_is_exception_pending(env, &pending) != napi_ok || !pending) return;
  napi_value exception = nullptr;
  napi_get_and_clear_last_exception(env, &exception);
}

napi_value js_undefined(napi_env env) {
  napi_value result = nullptr;
  napi_get_undefined(env, &result);
  return result;
}

napi_value js_boolean(napi_env env, bool value) {
  napi_value result = nullptr;
  napi_get_boolean(env, value, &result);
  return result;
}

napi_value js_number(napi_env env, double value) {
  napi_value result = nullptr;
  return napi_create_double(env, value, &result) == napi_ok ? result : nullptr;
}

napi_value js_string(napi_env env, std::string_view utf8) {
  napi_value result = nullptr;
  if (napi_create_string_utf8(env, utf8.data(), utf8.size(), &result) == napi_ok) return result;
  clear_exception(env);
  return nullptr;
}

napi_value js_array(napi_env env, const std::vector<napi_value>& elements) {
  napi_value result = nullptr;
  if (napi_create_array_with_length(env, elements.size(), &result) != napi_ok) return nullptr;
  for (std::uint32_t i = 0; i < elements.size(); ++i) {
    if (elements[i] == nullptr || napi_set_element(env, result, i, elements[i]) != napi_ok) {
      clear_exception(env);
      return nullptr;
    }
  }
  return result;
}

napi_value js_typed_array(napi_env env, napi_typedarray_type type, const void* data, std::size_t count,
                          std::size_t element_bytes) {
  void* memory = nullptr;
  napi_value buffer = nullptr, result = nullptr;
  if (napi_create_arraybuffer(env, count * element_bytes, &memory, &buffer) != napi_ok ||
      napi_create_typedarray(env, type, count, buffer, 0, &result) != napi_ok) {
    clear_exception(env);
    return nullptr;
  }
  if (count > 0) std::memcpy(memory, data, count * element_bytes);
  return result;
}

namespace {

napi_property_descriptor property_of(const char* name, napi_value value) {
  return {name, nullptr, nullptr, nullptr, nullptr, value, napi_default_jsproperty, nullptr};
}

// Null where the value of one of them is.
napi_value js_object(napi_env env, std::span<const napi_property_descriptor> properties) {
  napi_value object = nullptr;
  if (std::all_of(properties.begin(), properties.end(),
                  [](const auto& property) { return property.value != nullptr; }) &&
      napi_create_object(env, &object) == napi_ok &&
      napi_define_properties(env, object, properties.size(), properties.data()) == napi_ok) {
    return object;
  }
  clear_exception(env);
  return nullptr;
}

}  // namespace

ObjectBuilder& ObjectBuilder::add(const char* name, napi_value value) {
  if (count_ < kMost) properties_[count_] = property_of(name, value);
  ++count_;
  return *this;
}

napi_value ObjectBuilder::build() {
  return count_ > kMost ? nullptr : js_object(env_, std::span(properties_).first(count_));
}

napi_value js_ok(napi_env env, napi_value value) {
  if (value == nullptr) return js_error(env, out_of_memory());
  const napi_property_descriptor properties[] = {property_of("ok", js_boolean(env, true)),
                                                 property_of("value", value)};
  return js_object(env, properties);
}

napi_value js_error(napi_env env, const Status& status) {
  napi_value message = js_string(env, status.message());
  // Without an object here the promise would never settle.
  if (message == nullptr) message = js_string(env, "The reason is too long to be said.");
  const napi_property_descriptor error[] = {
      property_of("code", js_string(env, std::string_view(code_name(status.code())))),
      property_of("message", message)};
  const napi_property_descriptor properties[] = {property_of("ok", js_boolean(env, false)),
                                                 property_of("error", js_object(env, error))};
  return js_object(env, properties);
}

}  // namespace emberline::addon
