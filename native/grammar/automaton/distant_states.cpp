#include "grammar/automaton/distant_states.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace emberline::grammar {

namespace {

// What `frame` counts; nullptr: nothing that has bounds, or nothing that may be far from them. Inside an item
// that has to differ from those before it, what may come depends on how many texts there still are: not only
// on the next few bytes. Its states are told apart by its text in any case.
std::uint32_t* count_in(Frame& frame) {
  if (frame.followed()) return nullptr;
  switch (frame.kind) {
    case FrameKind::kTerminal: return &frame.characters();
    case FrameKind::kRepeating: return &frame.times();
    case FrameKind::kInObject: return &frame.members();
    case FrameKind::kInArray: return &frame.items();
    default: return nullptr;
  }
}

}  // namespace

DistantStates::DistantStates(const Program& program, Stacks& stacks, StateTable& states,
                             Guides<TerminalGuide, Terminal>& terminals, ObjectReader& objects,
                             ArrayReader& arrays)
    : program_(program),
      stacks_(stacks),
      states_(states),
      terminals_(terminals),
      objects_(objects),
      arrays_(arrays) {}

// Of what count_in() is.
CountBounds DistantStates::bounds(const Frame& frame) {
  const std::uint32_t rule = rule_of(program_, frame);
  switch (frame.kind) {
    case FrameKind::kTerminal: return terminals_[rule].bounds(distance_);
    case FrameKind::kRepeating: return {program_.repeats[rule].least, program_.repeats[rule].most, distance_};
    case FrameKind::kInObject: return objects_.guide(rule).bounds(distance_);
    case FrameKind::kInArray: return arrays_.guide(rule).bounds(frame.counted(), distance_);
    default: return {};
  }
}

StateId DistantStates::first_distant(StateId state) {
  if (state == kDead) return kDead;
  std::vector<std::uint32_t> words(states_.words(state).begin(), states_.words(state).end());
  bool changed = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const NodeId there = distant_node(words[i]);
    changed = changed || there != words[i];
    words[i] = there;
  }
  StateId there = state;
  if (changed) {
    std::sort(words.begin() + 1, words.end());
    words.erase(std::unique(words.begin() + 1, words.end()), words.end());
    there = states_.intern(words);
  }
  if (distant_.size() < states_.size()) distant_.resize(states_.size(), kNotTried);
  distant_[there] = there;
  return distant_[state] = there;
}

NodeId DistantStates::distant_node(NodeId node) {
  if (distant_nodes_.size() < stacks_.size()) distant_nodes_.resize(stacks_.size(), kNotTried);
  const auto below = [this](NodeId each) { return stacks_[each].parent; };
  NodeId bottom = node;
  while (bottom != kNone && distant_nodes_[bottom] == kNotTried) bottom = below(bottom);
  return remade(node, bottom, bottom == kNone ? kNone : distant_nodes_[bottom], below,
                [this](NodeId each, NodeId parent) {
                  Frame frame = stacks_[each];
                  frame.parent = parent;
                  if (std::uint32_t* const count = count_in(frame)) *count = bounds(frame).distant(*count);
                  return distant_nodes_[each] = stacks_.intern(frame);
                });
}

std::vector<FarCount> DistantStates::far_counts(StateId state) {
  std::vector<FarCount> counts;
  if (state == kDead) return counts;
  std::unordered_set<NodeId> seen;
  const std::span<const NodeId> all = states_.nodes(state);
  for (const NodeId top : all) {
    for (NodeId node = top; node != kNone; node = stacks_[node].parent) {
      if (all.size() > 1 && !seen.insert(node).second) break;  // the rest of the stack as well
      Frame frame = stacks_[node];
      const std::uint32_t* const count = count_in(frame);
      if (count == nullptr || !is_far(*count)) continue;
      const CountBounds of = bounds(frame);
      const std::uint32_t first = *count == kFarBelow ? of.first : std::max(of.first, of.least);
      counts.push_back({node, first, of.end(*count)});
    }
  }
  return counts;
}

StateId DistantStates::with_counts(StateId state, std::span<const FarCount> counts,
                                   std::span<const std::uint32_t> values) {
  if (counts.empty()) return state;
  std::unordered_map<NodeId, NodeId> there;
  std::vector<std::uint32_t> words(states_.words(state).begin(), states_.words(state).end());
  for (std::size_t i = 1; i < words.size(); ++i) {
    words[i] = remade_once(
        words[i], there, [this](NodeId each) { return stacks_[each].parent; },
        [&](NodeId each, NodeId parent) {
          Frame frame = stacks_[each];
          frame.parent = parent;
          for (std::size_t count = 0; count < counts.size(); ++count) {
            if (counts[count].node == each) *count_in(frame) = values[count];
          }
          return stacks_.intern(frame);
        });
  }
  std::sort(words.begin() + 1, words.end());
  return states_.intern(words);
}

// Where two stacks differ in far counts alone, one of the distant state stands for both: such a state is its
// own position.
Position DistantStates::position(StateId exact) {
  Position position(exact);
  const StateId there = distant(exact);
  if (there == exact) return position;
  std::unordered_map<NodeId, NodeId> exact_of;
  for (const NodeId top : states_.nodes(exact)) {
    for (NodeId node = top; node != kNone; node = stacks_[node].parent) {
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
    Frame frame = stacks_[exact_of.at(counts[i].node)];
    position.room[i] = counts[i].end - *count_in(frame);
  }
  return position;
}

StateId DistantStates::exact(const Position& position) {
  const std::vector<FarCount> counts = far_counts(position.state);
  std::vector<std::uint32_t> values(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) values[i] = counts[i].end - position.room[i];
  return with_counts(position.state, counts, values);
}

}  // namespace emberline::grammar
