// How many random cases a test tries.
#pragma once

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

}  // namespace emberline::testing
