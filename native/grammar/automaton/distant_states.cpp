// States seen from a distance, and what is kept of a machine that starts over.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "grammar/automaton/machine.h"

namespace emberline::grammar {

StateId StateSpace::Machine::first_distant(StateId state) {
  if (state == kDead) return kDead;
  std::vector<std::uint32_t> words(states_[state].begin(), states_[state].end());
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
    there = intern_state(words);
  }
  if (distant_.size() < states_.size()) distant_.resize(states_.size(), kNotTried);
  distant_[there] = there;
  return distant_[state] = there;
}

NodeId StateSpace::Machine::distant_node(NodeId node) {
  if (distant_nodes_.size() < frames_.size()) distant_nodes_.resize(frames_.size(), kNotTried);
  std::vector<NodeId> above;
  NodeId there = kNone;
  for (; node != kNone; node = frames_[node].parent) {
    if (distant_nodes_[node] != kNotTried) {
      there = distant_nodes_[node];
      break;
    }
    above.push_back(node);
  }
  for (std::size_t i = above.size(); i-- > 0;) {
    Frame frame = frames_[above[i]];
    frame.parent = there;
    if (std::uint32_t* const count = count_in(frame)) *count = count_bounds(frame).distant(*count);
    there = frames_.intern(frame);
    distant_nodes_[above[i]] = there;
  }
  return there;
}

// Inside an item that has to differ from those before it, what may come depends on how many texts there still
// are: not only on the next few bytes. Its states are told apart by its text in any case.
std::uint32_t* StateSpace::Machine::count_in(Frame& frame) {
  if ((frame.tracked & kTracked) != 0) return nullptr;
  switch (frame.kind) {
    case FrameKind::kTerminal:
    case FrameKind::kInObject: return &frame.b;
    case FrameKind::kRepeating:
    case FrameKind::kInArray: return &frame.a;
    default: return nullptr;
  }
}

CountBounds StateSpace::Machine::count_bounds(const Frame& frame) {
  const std::uint32_t operand = program_->code[frame.where - 1].operand;
  switch (frame.kind) {
    case FrameKind::kTerminal: return terminal_guide(operand).bounds(distance_);
    case FrameKind::kRepeating: {
      const Repeat& repeat = program_->repeats[operand];
      return {repeat.least, repeat.most, distance_};
    }
    case FrameKind::kInObject: return object_guide(operand).bounds(distance_);
    case FrameKind::kInArray: return array_guide(operand).bounds(frame.b, distance_);
    default: return {};
  }
}

// The frames, texts and sets that `kept` are made of move over, those below first.
void StateSpace::Machine::start_over(std::span<StateId> kept) {
  const Interner<Frame> frames = std::exchange(frames_, {});
  const Interner<TextLink> texts = std::exchange(texts_, {});
  const Interner<TextListLink> lists = std::exchange(lists_, {});
  const SequenceInterner key_sets = std::exchange(key_sets_, {});
  const SequenceInterner text_sets = std::exchange(text_sets_, {});
  const SequenceInterner states = std::exchange(states_, {});
  rows_ = {};
  steps_ = {};
  distant_ = {};
  distant_nodes_ = {};
  object_views_ = {};
  array_views_ = {};
  object_guides_.clear();
  object_guides_.resize(program_->objects.size());
  guide_bytes_ = 0;
  value_trees_.clear();
  value_tree_bytes_ = 0;
  for (std::size_t i = 0; i < terminal_guides_.size(); ++i) {
    if (terminal_guides_[i]) guide_bytes_ += std::size_t{program_->terminals[i].dfa.states()} * 12;
  }
  start_ = kNotTried;
  status_ = {};
  ++epoch_;

  std::unordered_map<std::uint32_t, std::uint32_t> moved_texts, moved_lists, moved_nodes;
  const auto move_chain = [](std::uint32_t last, std::unordered_map<std::uint32_t, std::uint32_t>& moved,
                             const auto& below, const auto& move) {
    std::vector<std::uint32_t> chain;
    for (; last != kNone && !moved.contains(last); last = below(last)) chain.push_back(last);
    std::uint32_t there = last == kNone ? kNone : moved[last];
    for (std::size_t i = chain.size(); i-- > 0;) moved[chain[i]] = there = move(chain[i], there);
    return there;
  };
  const auto move_text = [&](TextId text) {
    return move_chain(
        text, moved_texts, [&](TextId each) { return texts[each].front; },
        [&](TextId each, TextId front) {
          TextLink link = texts[each];
          link.front = front;
          return texts_.intern(link);
        });
  };
  const auto move_list = [&](std::uint32_t list) {
    return move_chain(
        list, moved_lists, [&](std::uint32_t each) { return lists[each].rest; },
        [&](std::uint32_t each, std::uint32_t rest) {
          TextListLink link = lists[each];
          link.rest = rest;
          link.text = move_text(link.text);
          return lists_.intern(link);
        });
  };
  const auto move_node = [&](NodeId node) {
    return move_chain(
        node, moved_nodes, [&](NodeId each) { return frames[each].parent; },
        [&](NodeId each, NodeId parent) {
          Frame frame = frames[each];
          frame.parent = parent;
          if (frame.kind == FrameKind::kInObject) frame.a = key_sets_.intern(key_sets[frame.a]);
          if (frame.kind == FrameKind::kInObject || frame.kind == FrameKind::kInArray)
            frame.c = move_list(frame.c);
          if (frame.kind == FrameKind::kUniqueItem) {
            frame.a = move_text(frame.a);
            if (frame.b != kNone) {
              std::vector<TextId> set(text_sets[frame.b].begin(), text_sets[frame.b].end());
              for (TextId& text : set) text = move_text(text);
              std::sort(set.begin(), set.end());
              frame.b = text_sets_.intern(set);
            }
          }
          if (frame.kind == FrameKind::kKey) frame.b = move_text(frame.b);
          return frames_.intern(frame);
        });
  };
  for (StateId& state : kept) {
    if (state == kDead) continue;
    std::vector<std::uint32_t> words{states[state][0]};
    for (const NodeId node : states[state].subspan(1)) words.push_back(move_node(node));
    std::sort(words.begin() + 1, words.end());
    state = intern_state(words);
  }
}

}  // namespace emberline::grammar
