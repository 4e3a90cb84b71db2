// The value of a Result that a test expects to be there.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

#include "base/status.h"

namespace emberline::testing {

// Ends the program with the error when there is none: what follows could only fail in a less readable way.
template <typename T>
T take(Result<T> result) {
  if (!result.ok()) {
    ADD_FAILURE() << code_name(result.code()) << ": " << result.error().message();
    std::abort();
  }
  return std::move(result).value();
}

}  // namespace emberline::testing
