// Positions of states, and states of positions.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "grammar/automaton/machine.h"

namespace emberline::grammar {

std::vector<StateSpace::Machine::FarCount> StateSpace::Machine::far_counts(StateId state) {
  std::vector<FarCount> counts;
  if (state == kDead) return counts;
  std::unordered_set<NodeId> seen;
  const std::span<const NodeId> all = nodes(state);
  for (const NodeId top : all) {
    for (NodeId node = top; node != kNone; node = frames_[node].parent) {
      if (all.size() > 1 && !seen.insert(node).second) break;  // the rest of the stack as well
      Frame frame = frames_[node];
      const std::uint32_t* const count = count_in(frame);
      if (count == nullptr || !is_far(*count)) continue;
      const CountBounds bounds = count_bounds(frame);
      const std::uint32_t first = *count == kFarBelow ? bounds.first : std::max(bounds.first, bounds.least);
      counts.push_back({node, first, bounds.end(*count)});
    }
  }
  return counts;
}

// Where two stacks differ in far counts alone, one of the distant state stands for both: such a state is its
// own position.
Position StateSpace::Machine::position(StateId exact) {
  Position position(exact);
  const StateId there = distant(exact);
  if (there == exact) return position;
  std::unordered_map<NodeId, NodeId> exact_of;
  for (const NodeId top : nodes(exact)) {
    for (NodeId node = top; node != kNone; node = frames_[node].parent) {
      const auto [known, fresh] = exact_of.emplace(distant_nodes_[node], node);
      if (fresh) continue;
      if (known->second != node) return position;
      break;
    }
  }
  const std::vector<FarCount> counts = far_counts(there);
  if (counts.size() > Position::kMostCounts) return position;
  position.state = there;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    Frame frame = frames_[exact_of.at(counts[i].node)];
    position.room[i] = counts[i].end - *count_in(frame);
  }
  return position;
}

StateId StateSpace::Machine::exact(const Position& position) {
  const std::vector<FarCount> counts = far_counts(position.state);
  std::vector<std::uint32_t> values(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) values[i] = counts[i].end - position.room[i];
  return with_counts(position.state, counts, values);
}

StateId StateSpace::Machine::with_counts(StateId state, std::span<const FarCount> counts,
                                         std::span<const std::uint32_t> values) {
  if (counts.empty()) return state;
  std::unordered_map<NodeId, NodeId> there;
  std::vector<std::uint32_t> words(states_[state].begin(), states_[state].end());
  std::vector<NodeId> above;
  for (std::size_t i = 1; i < words.size(); ++i) {
    NodeId node = words[i];
    for (; node != kNone && !there.contains(node); node = frames_[node].parent) above.push_back(node);
    NodeId stack = node == kNone ? kNone : there.at(node);
    for (; !above.empty(); above.pop_back()) {
      Frame frame = frames_[above.back()];
      frame.parent = stack;
      for (std::size_t count = 0; count < counts.size(); ++count) {
        if (counts[count].node == above.back()) *count_in(frame) = values[count];
      }
      there[above.back()] = stack = frames_.intern(frame);
    }
    words[i] = stack;
  }
  std::sort(words.begin() + 1, words.end());
  return intern_state(words);
}

}  // namespace emberline::grammar
