// Reading arguments that may be anything: of the wrong type, missing, out of range, proxies, getters that
// throw. Nothing here throws or leaves an exception behind; the first thing wrong is kept as a Status.
#pragma once

#include <napi.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/status.h"

namespace emberline::addon {

// Limits on what is copied on the JS thread, in UTF-16 units or elements.
inline constexpr std::size_t kMaxPrompt = std::size_t{1} << 20;
inline constexpr std::size_t kMaxPromptParts = 1024;
inline constexpr std::size_t kMaxText = std::size_t{1} << 26;
inline constexpr std::size_t kMaxIds = std::size_t{1} << 24;
inline constexpr double kMaxSafeInteger = 9007199254740991.0;

// A part of a prompt, as JavaScript has it.
using TextOrToken = std::variant<std::u16string, std::uint32_t>;

class Arguments {
 public:
  explicit Arguments(napi_env env) : env_(env) {}

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }

  // A property of `object`, or null when it cannot be had. `object` null: null, which counts as undefined.
  napi_value property(napi_value object, const char* name);
  // The same; null where it is undefined, too.
  napi_value optional_property(napi_value object, const char* name);
  // `value` itself when it is an object (not a function), else null.
  napi_value object(napi_value value, const char* name);

  // `name` is what an error message calls the value. Ranges include their ends; NaN is in none.
  double number(napi_value value, const char* name, double low, double high);
  double integer(napi_value value, const char* name, double low, double high);
  bool boolean(napi_value value, const char* name);
  std::u16string string(napi_value value, const char* name, std::size_t max_units);
  // An array of strings.
  std::vector<std::u16string> strings(napi_value value, const char* name, std::size_t max_count,
                                      std::size_t max_units);
  // A string, or an array of strings and token ids; the strings have at most kMaxPrompt units together.
  std::vector<TextOrToken> prompt(napi_value value, const char* name);
  std::string path(napi_value value, const char* name);  // UTF-8, not empty, without zero characters
  std::vector<std::uint32_t> ids(napi_value value, const char* name, std::size_t max_count);
  // A function; undefined gives an empty one.
  Napi::Function optional_function(napi_value value, const char* name);

  void fail(std::string message);

 private:
  napi_valuetype type_of(napi_value value) const;
  // The length of an array of at most `max_count` elements; 0 for anything else. `of`: what it is an array
  // of.
  std::uint32_t array_length(napi_value value, const char* name, const char* of, std::size_t max_count);
  napi_value element(napi_value array, std::uint32_t index, const char* name);

  napi_env env_;
  Status status_;
};

}  // namespace emberline::addon
