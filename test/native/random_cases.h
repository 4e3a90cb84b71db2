// How many random cases a test tries, and how long its long texts are.
#pragma once

#include <cstddef>

namespace emberline::testing {

#if defined(EMBERLINE_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// `count`, or, where every access is checked and each case takes ten times as long, a sixth of them: an
// access that is wrong shows in few cases, an answer that is wrong may need them all.
constexpr int random_cases(int count) {
  return kSanitized ? count / 6 : count;
}

// What they amount to at least, where it is `least` for all of them; few of them vary more.
constexpr int random_cases_least(int least) {
  return kSanitized ? least / 8 : least;
}

// Bytes of a text that is long so that quadratic work shows, of 2^40 steps. Under sanitizers, where each step
// takes ten times as long, an eighth.
constexpr std::size_t long_text_bytes() {
  return (std::size_t{1} << 20) / (kSanitized ? 8 : 1);
}

}  // namespace emberline::testing
