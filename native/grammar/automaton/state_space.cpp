#include "grammar/automaton/state_space.h"

#include <algorithm>
#include <utility>

namespace emberline::grammar {

StateSpace::StateSpace(std::shared_ptr<const Program> program, const StateBounds& bounds)
    : program_(std::move(program)),
      limits_{bounds, {}},
      stacks_(bounds.depth),
      terminals_(program_->terminals),
      layout_(program_->layout, stacks_),
      closure_(*program_, limits_, stacks_, terminals_, unique_items_),
      unique_items_(*this, stacks_, texts_, closure_),
      objects_(*program_, layout_, stacks_, texts_, closure_),
      arrays_(*program_, layout_, stacks_, unique_items_, closure_),
      distant_states_(*program_, stacks_, states_, terminals_, objects_, arrays_) {}

std::size_t StateSpace::bytes() const {
  return stacks_.bytes() + texts_.bytes() + states_.bytes() + terminals_.bytes() + unique_items_.bytes() +
         objects_.bytes() + arrays_.bytes() + distant_states_.bytes();
}

StateId StateSpace::start() {
  if (start_ == kNotTried) start_ = at(program_->start, kNone);
  return start_;
}

StateId StateSpace::step(StateId state, std::string_view bytes) {
  for (const char c : bytes) {
    if (state == kDead) break;
    state = step(state, static_cast<unsigned char>(c));
  }
  return state;
}

StateId StateSpace::first_step(StateId state, unsigned char byte) {
  if (!status().ok()) return kDead;
  closure_.begin();
  for (std::size_t i = 0; i < nodes(state).size(); ++i) step_leaf(nodes(state)[i], byte);
  const StateId next = finish();
  if (status().ok()) states_.remember(state, byte, next);
  return next;
}

void StateSpace::step_leaf(NodeId node, unsigned char byte) {
  Frame leaf = stacks_[node];
  if (leaf.followed()) leaf.parent = unique_items_.grown(leaf.parent, byte);
  switch (leaf.kind) {
    case FrameKind::kTerminal:
      leaf.state() = terminals_[rule_of(*program_, leaf)].step(leaf.state(), leaf.characters(), byte);
      if (leaf.state() != kNone) closure_.keep_terminal(leaf);
      return;
    case FrameKind::kSpace:
      if (!is_space(byte) || leaf.spaces() >= kMostSpaces) return;
      ++leaf.spaces();
      if (leaf.spaces() < kMostSpaces) closure_.keep(leaf);
      closure_.go_on(leaf.where, leaf.parent);
      return;
    case FrameKind::kObjectOpen:
      if (byte == '{') objects_.open(leaf);
      return;
    case FrameKind::kArrayOpen:
      if (byte == '[') arrays_.open(leaf);
      return;
    case FrameKind::kObjectFirst:
    case FrameKind::kObjectKey:
    case FrameKind::kKey:
    case FrameKind::kObjectColon:
    case FrameKind::kObjectValue:
    case FrameKind::kObjectNext: objects_.step(leaf, byte); return;
    case FrameKind::kArrayFirst:
    case FrameKind::kArrayItem:
    case FrameKind::kArrayNext: arrays_.step(leaf, byte); return;
    default: return;  // kTokens reads no bytes
  }
}

StateId StateSpace::finish() {
  const std::vector<std::uint32_t>& words = closure_.finish();
  if (bytes() > limits_.bounds.bytes) limits_.too_large("more memory");
  return status().ok() && !words.empty() ? states_.intern(words) : kDead;
}

StateId StateSpace::at(Pc pc, NodeId stack) {
  closure_.begin();
  closure_.go_on(pc, stack);
  return finish();
}

StateId StateSpace::of_nodes(std::span<const NodeId> nodes) {
  closure_.begin();
  for (const NodeId node : nodes) closure_.keep_again(node);
  return finish();
}

StateId StateSpace::behind_key(NodeId object, std::uint32_t label) {
  closure_.begin();
  const ObjectRule& rule = objects_.rule(object);
  Frame frame = stacks_[object];
  if (rule.distinct_others && rule.members[label - 1].key == kNone) frame.other_keys() = kNone;
  objects_.key_ended(stacks_.intern(frame), label, kNoText);
  return finish();
}

std::optional<unsigned char> StateSpace::only_byte(StateId state) {
  if (state == kDead || may_end(state)) return std::nullopt;
  for (const NodeId node : nodes(state)) {
    if (stacks_[node].kind == FrameKind::kTokens) return std::nullopt;
  }
  std::optional<unsigned char> only;
  for (int byte = 0; byte < 256; ++byte) {
    if (step(state, static_cast<unsigned char>(byte)) == kDead) continue;
    if (only) return std::nullopt;
    only = static_cast<unsigned char>(byte);
  }
  return only;
}

StateId StateSpace::united(StateId a, StateId b) {
  if (a == kDead || b == kDead || a == b) return a == kDead ? b : a;
  closure_.begin();
  for (const StateId each : {a, b}) {
    for (const NodeId node : nodes(each)) closure_.keep_again(node);
    if (may_end(each)) closure_.end();
  }
  return finish();
}

std::span<const std::uint32_t> StateSpace::token_sets(StateId state) {
  sets_.clear();
  if (state == kDead || program_->token_sets.empty()) return sets_;
  for (const NodeId node : nodes(state)) {
    const Frame& leaf = stacks_[node];
    if (leaf.kind == FrameKind::kTokens) sets_.push_back(rule_of(*program_, leaf));
  }
  std::sort(sets_.begin(), sets_.end());
  sets_.erase(std::unique(sets_.begin(), sets_.end()), sets_.end());
  return sets_;
}

StateId StateSpace::step_sets(StateId state, const std::function<bool(std::uint32_t set)>& holds) {
  if (state == kDead || !status().ok()) return kDead;
  closure_.begin();
  for (const NodeId node : nodes(state)) {
    const Frame leaf = stacks_[node];
    if (leaf.kind == FrameKind::kTokens && holds(rule_of(*program_, leaf)))
      closure_.go_on(leaf.where, leaf.parent);
  }
  return finish();
}

StateId StateSpace::replay(StateId state, std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && state != kDead) {
    if (crowded()) start_over({&state, 1});
    std::size_t end = at;
    while (end < text.size() && is_space(static_cast<unsigned char>(text[end]))) ++end;
    const std::string_view spaces = text.substr(at, end - at);
    // Whitespace that is not there matters where the layout has some.
    if (!spaces.empty() || layout_.indented()) {
      const StateId exact = step(state, spaces);
      if (end == text.size() && exact != kDead) return exact;
      closure_.begin();
      if (program_->of_json && !layout_.free() && may_end(state)) closure_.end();
      const std::vector<NodeId> before(nodes(state).begin(), nodes(state).end());
      pass_whitespace(before, spaces.find_first_of("\r\n") != std::string_view::npos);
      state = united(finish(), exact);
      at = end;
      if (at == text.size() || state == kDead) break;
    }
    state = step(state, static_cast<unsigned char>(text[at++]));
  }
  return state;
}

// The frames, texts and sets that `kept` are made of move over.
void StateSpace::start_over(std::span<StateId> kept) {
  const Interner<Frame> frames = stacks_.take();
  const StateTable states = std::exchange(states_, {});
  const Interned<std::uint32_t> key_sets = objects_.start_over();
  TextMove move(texts_);
  arrays_.start_over();
  unique_items_.start_over();
  distant_states_.start_over();
  start_ = kNotTried;
  limits_.status = {};
  ++epoch_;

  std::unordered_map<NodeId, NodeId> moved;
  const auto move_node = [&](NodeId node) {
    return remade_once(
        node, moved, [&](NodeId each) { return frames[each].parent; },
        [&](NodeId each, NodeId parent) {
          Frame frame = frames[each];
          frame.parent = parent;
          if (frame.kind == FrameKind::kInObject) {
            frame.keys() = objects_.put_keys(key_sets[frame.keys()]);
            frame.other_keys() = move.list(frame.other_keys());
          } else if (frame.kind == FrameKind::kInArray) {
            frame.item_texts() = move.list(frame.item_texts());
          } else if (frame.kind == FrameKind::kUniqueItem) {
            frame.text() = move.text(frame.text());
            if (frame.alike() != kByText) frame.alike() = move.set(frame.alike());
          } else if (frame.kind == FrameKind::kKey) {
            frame.text() = move.text(frame.text());
          }
          return stacks_.intern(frame);
        });
  };
  for (StateId& state : kept) {
    if (state == kDead) continue;
    std::vector<std::uint32_t> words{states.ends(state) ? 1u : 0u};
    for (const NodeId node : states.nodes(state)) words.push_back(move_node(node));
    std::sort(words.begin() + 1, words.end());
    state = states_.intern(words);
  }
  kept_bytes_ = bytes();
}

}  // namespace emberline::grammar
