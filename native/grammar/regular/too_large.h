// The error of every bound on automata.
#pragma once

#include "base/status.h"

namespace emberline::grammar {

inline Status too_large() {
  return {ErrorCode::kGrammarTooLarge,
          "The automaton of a text has too many states; use a shorter pattern or smaller bounds."};
}

}  // namespace emberline::grammar
