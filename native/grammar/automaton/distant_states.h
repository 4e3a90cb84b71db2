// States seen from a distance: with counts that are far from their bounds left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/automaton/array_reader.h"
#include "grammar/automaton/far_count.h"
#include "grammar/automaton/object_reader.h"
#include "grammar/automaton/position.h"
#include "grammar/automaton/stacks.h"
#include "grammar/automaton/state_table.h"

namespace emberline::grammar {

// A count of a distant state that was left out: in the frame `node`, by what stands for those from `first` up
// to `end`, which it does not reach.
struct FarCount {
  NodeId node;
  std::uint32_t first, end;
};

class DistantStates {
 public:
  DistantStates(const Program& program, Stacks& stacks, StateTable& states,
                Guides<TerminalGuide, Terminal>& terminals, ObjectReader& objects, ArrayReader& arrays);

  // How far ahead is looked, in bytes: given before the first state is made.
  void set_distance(std::uint32_t bytes) { distance_ = bytes; }
  std::uint32_t distance() const { return distance_; }

  // The state in whose place another may stand for who looks only so far ahead.
  StateId distant(StateId state) {
    const bool known = state < distant_.size() && distant_[state] != kNotTried;
    return known ? distant_[state] : first_distant(state);
  }
  // Of a distant state, always in the same order.
  std::vector<FarCount> far_counts(StateId state);
  // `state` with `values` in the place of its far counts.
  StateId with_counts(StateId state, std::span<const FarCount> counts, std::span<const std::uint32_t> values);

  Position position(StateId exact);
  StateId exact(const Position& position);

  std::size_t bytes() const {
    return distant_.capacity() * sizeof(StateId) + distant_nodes_.capacity() * sizeof(NodeId);
  }
  // Forgets all states.
  void start_over() { distant_ = {}, distant_nodes_ = {}; }

 private:
  StateId first_distant(StateId state);
  NodeId distant_node(NodeId node);
  CountBounds bounds(const Frame& frame);

  const Program& program_;
  Stacks& stacks_;
  StateTable& states_;
  Guides<TerminalGuide, Terminal>& terminals_;
  ObjectReader& objects_;
  ArrayReader& arrays_;
  std::uint32_t distance_ = 512;
  std::vector<StateId> distant_;       // [states]: kNotTried where not yet known
  std::vector<NodeId> distant_nodes_;  // [frames]: the same
};

}  // namespace emberline::grammar
