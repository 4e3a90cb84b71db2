// The border that no exception crosses.
//
// The engine's errors are values; what it throws is std::bad_alloc alone, anywhere. It becomes a value here:
// on the threads that run it, and where JavaScript calls.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <type_traits>

#include "base/status.h"

namespace emberline::addon {

// Where there is no room for a sentence either: short enough for the space that a string has in itself.
inline Status out_of_memory() {
  try {
    return {ErrorCode::kOutOfMemory,
            "Not enough memory for this; close other programs, or choose a smaller model or context."};
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kOutOfMemory, "Out of memory."};
  }
}

// What `work` gives, a Status or a Result<T>; OUT_OF_MEMORY where it needed more memory than there is.
template <typename Work>
std::invoke_result_t<const Work&> guarded(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& error) {
    return Status(ErrorCode::kInternal,
                  std::string("The engine failed (") + error.what() + "); please report it.");
  }
}

}  // namespace emberline::addon
