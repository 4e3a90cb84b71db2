// A hint that memory will be read soon.
#pragma once

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace emberline {

// Brings the cache line of `address` nearer. Any address will do; nothing is read or written.
inline void prefetch(const void* address) {
#if defined(_MSC_VER) && !defined(__clang__) && defined(_M_ARM64)
  __prefetch(address);
#elif defined(_MSC_VER) && !defined(__clang__)
  _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
#else
  __builtin_prefetch(address);
#endif
}

}  // namespace emberline
