// Small programs of every instruction, made at random, so that each of them accepts something.
#pragma once

#include <memory>
#include <random>

#include "grammar/program.h"

namespace emberline::grammar::testing {

using Random = std::mt19937;

inline std::uint32_t below(Random& random, std::uint32_t end) {
  return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random);
}
inline bool coin(Random& random) {
  return below(random, 2) == 0;
}

// `scale`: how many times larger counts are than two or three.
std::shared_ptr<const Program> random_program(Random& random, std::uint32_t scale = 1);

// The layout of a random program.
Layout random_layout(Random& random);

}  // namespace emberline::grammar::testing
