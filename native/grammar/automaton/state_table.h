// States by number, and the steps between them that are known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/automaton/frame.h"
#include "grammar/regular/interned.h"

namespace emberline::grammar {

using StateId = std::uint32_t;
inline constexpr StateId kDead = kNone;            // no text leads here
inline constexpr StateId kNotTried = 0xFFFFFFFEu;  // a state that is not yet known

// A lazily made deterministic automaton: a state is a set of stacks, made when some text first leads to it.
class StateTable {
 public:
  // `words`: 1 where a text may end there, else 0; then the stacks, ascending.
  StateId intern(std::span<const std::uint32_t> words) {
    const StateId state = states_.add(words).first;
    if (state == rows_.size()) rows_.push_back({kNone, kNone, kNone, kNone});
    return state;
  }
  std::span<const std::uint32_t> words(StateId state) const { return states_[state]; }
  bool ends(StateId state) const { return states_[state][0] != 0; }
  std::span<const NodeId> nodes(StateId state) const { return states_[state].subspan(1); }
  std::uint32_t size() const { return states_.size(); }

  // kNotTried where that is not known.
  StateId step(StateId state, unsigned char byte) const {
    const std::uint32_t chunk = rows_[state][byte >> 6];
    return chunk == kNone ? kNotTried : steps_[std::size_t{chunk} * 64 + (byte & 63)];
  }
  void remember(StateId state, unsigned char byte, StateId next) {
    std::uint32_t& chunk = rows_[state][byte >> 6];
    if (chunk == kNone) {
      chunk = static_cast<std::uint32_t>(steps_.size() / 64);
      steps_.resize(steps_.size() + 64, kNotTried);
    }
    steps_[std::size_t{chunk} * 64 + (byte & 63)] = next;
  }

  std::size_t bytes() const {
    return states_.bytes() + rows_.capacity() * sizeof(rows_[0]) + steps_.capacity() * sizeof(StateId);
  }

 private:
  Interned<std::uint32_t> states_;
  std::vector<std::array<std::uint32_t, 4>> rows_;  // [states]: chunks of 64 bytes each, or kNone
  std::vector<StateId> steps_;                      // [chunks, 64]
};

}  // namespace emberline::grammar
