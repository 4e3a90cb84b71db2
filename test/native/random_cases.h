// How many random cases a test tries.
#pragma once

namespace emberline::testing {

// `count`, or, where every access is checked and each case takes ten times as long, a sixth of them: an
// access that is wrong shows in few cases, an answer that is wrong may need them all.
constexpr int random_cases(int count) {
#if defined(EMBERLINE_SANITIZED)
  return count / 6;
#else
  return count;
#endif
}

// What they amount to at least, where it is `least` for all of them; few of them vary more.
constexpr int random_cases_least(int least) {
#if defined(EMBERLINE_SANITIZED)
  return least / 8;
#else
  return least;
#endif
}

}  // namespace emberline::testing
