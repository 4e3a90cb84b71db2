#include "addon/arguments.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "addon/js_values.h"
#include "addon/utf16.h"

namespace emberline::addon {
namespace {

std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.16g", value);
  return text;
}

// `of`: what there are too many of, and what to do.
std::string too_many(const char* name, std::size_t most, const char* of) {
  return std::string("'") + name + "' may have at most " + std::to_string(most) + " " + of;
}
constexpr const char* kCharacters = "characters; shorten it.";
constexpr const char* kElements = "elements; pass fewer.";

}  // namespace

void Arguments::fail(std::string message) {
  if (status_.ok()) status_ = Status(ErrorCode::kInvalidArgument, std::move(message));
}

napi_valuetype Arguments::type_of(napi_value value) const {
  napi_valuetype type = napi_undefined;
  if (value != nullptr) napi_typeof(env_, value, &type);
  return type;
}

napi_value Arguments::property(napi_value object, const char* name) {
  napi_value value = nullptr;
  if (object != nullptr && napi_get_named_property(env_, object, name, &value) != napi_ok) {
    clear_exception(env_);
    fail(std::string("Reading '") + name + "' threw an exception; pass a plain object.");
    return nullptr;
  }
  return value;
}

napi_value Arguments::optional_property(napi_value object, const char* name) {
  const napi_value value = property(object, name);
  return type_of(value) == napi_undefined ? nullptr : value;
}

napi_value Arguments::object(napi_value value, const char* name) {
  if (type_of(value) == napi_object) return value;
  fail(std::string("'") + name + "' must be an object.");
  return nullptr;
}

double Arguments::number(napi_value value, const char* name, double low, double high) {
  double result = 0;
  if (type_of(value) == napi_number && napi_get_value_double(env_, value, &result) == napi_ok &&
      result >= low && result <= high) {
    return result;
  }
  fail(std::string("'") + name + "' must be a number from " + decimal(low) + " to " + decimal(high) + ".");
  return low;
}

double Arguments::integer(napi_value value, const char* name, double low, double high) {
  double result = 0;
  if (type_of(value) == napi_number && napi_get_value_double(env_, value, &result) == napi_ok &&
      result >= low && result <= high && std::trunc(result) == result) {
    return result;
  }
  fail(std::string("'") + name + "' must be a whole number from " + decimal(low) + " to " + decimal(high) +
       ".");
  return low;
}

bool Arguments::boolean(napi_value value, const char* name) {
  bool result = false;
  if (type_of(value) == napi_boolean && napi_get_value_bool(env_, value, &result) == napi_ok) return result;
  fail(std::string("'") + name + "' must be true or false.");
  return false;
}

std::u16string Arguments::string(napi_value value, const char* name, std::size_t max_units) {
  std::size_t length = 0;
  if (type_of(value) != napi_string ||
      napi_get_value_string_utf16(env_, value, nullptr, 0, &length) != napi_ok) {
    fail(std::string("'") + name + "' must be a string.");
    return {};
  }
  if (length > max_units) {
    fail(too_many(name, max_units, kCharacters));
    return {};
  }
  std::u16string text(length + 1, u'\0');  // the copy ends with a zero
  napi_get_value_string_utf16(env_, value, text.data(), text.size(), &length);
  text.resize(length);
  return text;
}

std::uint32_t Arguments::array_length(napi_value value, const char* name, const char* of,
                                      std::size_t max_count) {
  bool array = false;
  std::uint32_t count = 0;
  if (value == nullptr || napi_is_array(env_, value, &array) != napi_ok || !array ||
      napi_get_array_length(env_, value, &count) != napi_ok) {
    fail(std::string("'") + name + "' must be " + of + ".");
    return 0;
  }
  if (count > max_count) {
    fail(too_many(name, max_count, kElements));
    return 0;
  }
  return count;
}

napi_value Arguments::element(napi_value array, std::uint32_t index, const char* name) {
  napi_value value = nullptr;
  if (napi_get_element(env_, array, index, &value) == napi_ok) return value;
  clear_exception(env_);
  fail(std::string("Reading '") + name + "' threw an exception; pass a plain array.");
  return nullptr;
}

std::vector<std::u16string> Arguments::strings(napi_value value, const char* name, std::size_t max_count,
                                               std::size_t max_units) {
  const std::uint32_t count = array_length(value, name, "an array of strings", max_count);
  std::vector<std::u16string> texts;
  for (std::uint32_t index = 0; index < count && ok(); ++index) {
    texts.push_back(string(element(value, index, name), name, max_units));
  }
  return texts;
}

std::vector<TextOrToken> Arguments::prompt(napi_value value, const char* name) {
  std::vector<TextOrToken> parts;
  if (type_of(value) == napi_string) {
    parts.emplace_back(string(value, name, kMaxPrompt));
    return parts;
  }
  constexpr const char* kWhat = "a string, or an array of strings and token ids";
  const std::uint32_t count = array_length(value, name, kWhat, kMaxPromptParts);
  std::size_t room = kMaxPrompt;
  for (std::uint32_t index = 0; index < count && ok(); ++index) {
    const napi_value part = element(value, index, name);
    const napi_valuetype type = type_of(part);
    if (type == napi_string) {
      std::u16string text = string(part, name, kMaxPrompt);
      if (text.size() > room) fail(too_many(name, kMaxPrompt, kCharacters));
      room -= std::min(room, text.size());
      parts.emplace_back(std::move(text));
    } else if (type == napi_number) {
      constexpr double kMostId = 0xFFFFFFFF;
      parts.emplace_back(static_cast<std::uint32_t>(integer(part, name, 0, kMostId)));
    } else {
      fail(std::string("'") + name + "' must be " + kWhat + ".");
    }
  }
  return parts;
}

std::string Arguments::path(napi_value value, const char* name) {
  constexpr std::size_t kMaxPath = 32'767;
  const std::u16string path = string(value, name, kMaxPath);
  if (path.empty()) fail(std::string("'") + name + "' must not be empty.");
  if (path.find(u'\0') != std::u16string::npos) {
    fail(std::string("'") + name + "' must not contain a zero character.");
  }
  return utf8_from_utf16(path);
}

std::vector<std::uint32_t> Arguments::ids(napi_value value, const char* name, std::size_t max_count) {
  bool typed = false;
  napi_typedarray_type type = napi_int8_array;
  std::size_t count = 0;
  void* data = nullptr;
  if (value == nullptr || napi_is_typedarray(env_, value, &typed) != napi_ok || !typed ||
      napi_get_typedarray_info(env_, value, &type, &count, &data, nullptr, nullptr) != napi_ok ||
      type != napi_uint32_array) {
    fail(std::string("'") + name + "' must be a Uint32Array.");
    return {};
  }
  if (count > max_count) {
    fail(too_many(name, max_count, kElements));
    return {};
  }
  const auto* first = static_cast<const std::uint32_t*>(data);
  return count == 0 ? std::vector<std::uint32_t>() : std::vector<std::uint32_t>(first, first + count);
}

Napi::Function Arguments::optional_function(napi_value value, const char* name) {
  const napi_valuetype type = type_of(value);
  if (type == napi_function) return {env_, value};
  if (type != napi_undefined) fail(std::string("'") + name + "' must be a function.");
  return {};
}

}  // namespace emberline::addon
