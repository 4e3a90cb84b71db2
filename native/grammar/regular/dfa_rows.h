// The edges of an automaton's states, those of neighbouring byte classes that lead to one state as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/regular/dfa.h"
#include "grammar/regular/grouped.h"

namespace emberline::grammar {

class DfaRows {
 public:
  explicit DfaRows(const Dfa& dfa) {
    begin_.reserve(dfa.states() + std::size_t{1});
    begin_.push_back(0);
    for (std::size_t at = 0; at < dfa.next.size(); at += dfa.classes) {
      for (std::uint32_t c = 0; c < dfa.classes; ++c) {
        const std::uint32_t to = dfa.next[at + c];
        if (c > 0 && to == to_.back()) continue;
        to_.push_back(to);
        from_class_.push_back(static_cast<std::uint8_t>(c));
      }
      begin_.push_back(to_.size());
    }
  }

  std::uint32_t states() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  std::size_t runs() const { return to_.size(); }
  // Where the runs of `state` lead, kNone: nowhere, and the byte class that each begins with, ascending from
  // 0. The last one goes on to the last class.
  std::span<const std::uint32_t> targets(std::uint32_t state) const {
    return {to_.data() + begin_[state], begin_[state + 1] - begin_[state]};
  }
  std::span<const std::uint8_t> classes(std::uint32_t state) const {
    return {from_class_.data() + begin_[state], begin_[state + 1] - begin_[state]};
  }

 private:
  std::vector<std::size_t> begin_;  // [states + 1]
  std::vector<std::uint32_t> to_;   // [runs]
  std::vector<std::uint8_t> from_class_;
};

// The states that lead to each state, as often as they have runs to it.
inline Grouped predecessors_of(const DfaRows& rows) {
  return Grouped(rows.states(), [&rows](const auto& add) {
    for (std::uint32_t state = 0; state < rows.states(); ++state) {
      for (const std::uint32_t to : rows.targets(state)) {
        if (to != kNone) add(to, state);
      }
    }
  });
}

// The states from which finitely many texts are accepted, each behind all that it leads to. Of an automaton
// that is trimmed.
inline std::vector<std::uint32_t> finite_states(const DfaRows& rows, const Grouped& predecessors) {
  std::vector<std::uint32_t> unseen(rows.states(), 0);  // runs to states that are not among them yet
  std::vector<std::uint32_t> finite;
  for (std::uint32_t state = 0; state < rows.states(); ++state) {
    for (const std::uint32_t to : rows.targets(state)) unseen[state] += to != kNone;
    if (unseen[state] == 0) finite.push_back(state);
  }
  for (std::size_t at = 0; at < finite.size(); ++at) {
    for (const std::uint32_t tail : predecessors.of(finite[at])) {
      if (--unseen[tail] == 0) finite.push_back(tail);
    }
  }
  return finite;
}

}  // namespace emberline::grammar
