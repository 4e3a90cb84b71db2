// Early returns: what an expression gives, or its error to whoever called.
#pragma once

#include <utility>

#include "base/status.h"

// TRY(expression); ends the function with the error of a Status or Result that is not ok.
#define TRY(...)                                                                                 \
  do {                                                                                           \
    if (auto tried = (__VA_ARGS__); !tried.ok()) return ::emberline::error_of(std::move(tried)); \
  } while (false)

// TRY_VALUE(const T name, expression); declares `name` with the value of a Result, or ends the function with
// its error.
#define TRY_VALUE(declaration, ...) \
  EMBERLINE_TRY_VALUE(EMBERLINE_TRIED(__COUNTER__), declaration, __VA_ARGS__)
#define EMBERLINE_TRY_VALUE(result, declaration, ...) EMBERLINE_TRY_INTO(result, declaration, __VA_ARGS__)
#define EMBERLINE_TRY_INTO(result, declaration, ...) \
  auto result = (__VA_ARGS__);                       \
  if (!result.ok()) return result.error();           \
  declaration = std::move(result).value()
#define EMBERLINE_TRIED(number) EMBERLINE_TRIED_(number)
#define EMBERLINE_TRIED_(number) tried_##number

namespace emberline {

inline Status error_of(Status&& status) {
  return std::move(status);
}
template <typename T>
Status error_of(Result<T>&& result) {
  return result.error();
}

}  // namespace emberline
