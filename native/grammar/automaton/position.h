// Where a text stands in a grammar.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "grammar/automaton/state_table.h"

namespace emberline::grammar {

// A state and, beside it, the counts in it that are far from their bounds: for those one mark stands in the
// state, so that a text that only counts on meets the same few states again. A value: to go back to an
// earlier one costs nothing. Good until the space starts over, but for what TokenMasks::start_over() renamed.
struct Position {
  // More counts than anybody nests. States with more have theirs in the state.
  static constexpr std::size_t kMostCounts = 8;

  // How much each count may grow before it is near its bound, at least 1, in the order of
  // DistantStates::far_counts(state); 0 behind the last. Stands first, so that copies read what was written
  // in the same pieces: anything else takes longer than the step itself.
  std::array<std::uint32_t, kMostCounts> room{};
  // May end, may go on and has the token sets of the text's own state. Steps from it say what is allowed for
  // as many bytes as the longest token has, and where they lead to may be wrong by what was counted.
  StateId state = kDead;

  Position() = default;
  Position(StateId exact) : state(exact) {}  // NOLINT(google-explicit-constructor): every state is a position
  bool operator==(const Position&) const = default;
};

}  // namespace emberline::grammar
