// Whitespace: what the layout writes, and what somebody wrote.
#include <algorithm>

#include "grammar/automaton/machine.h"

namespace emberline::grammar {

std::optional<unsigned char> StateSpace::Machine::layout_byte(const Frame& leaf, std::uint32_t at) const {
  if (!indented() || at == kPast) return std::nullopt;
  const Layout& layout = program_->layout;
  std::size_t units = leaf.level;
  switch (leaf.kind) {
    case FrameKind::kObjectFirst:
    case FrameKind::kObjectKey:
    case FrameKind::kArrayFirst: break;
    case FrameKind::kObjectNext: --units; break;
    case FrameKind::kArrayNext:
      if (frames_[leaf.parent].broken != Broken::kLines) return std::nullopt;
      --units;
      break;
    case FrameKind::kArrayItem:
      if (frames_[leaf.parent].broken == Broken::kLines) break;
      [[fallthrough]];
    case FrameKind::kObjectValue: return at == 0 ? std::optional<unsigned char>(' ') : std::nullopt;
    default: return std::nullopt;
  }
  if (at < layout.newline.size()) return static_cast<unsigned char>(layout.newline[at]);
  const std::size_t inside = at - layout.newline.size();
  if (inside >= units * layout.unit.size()) return std::nullopt;
  return static_cast<unsigned char>(layout.unit[inside % layout.unit.size()]);
}

bool StateSpace::Machine::has_gap(const Frame& leaf) const {
  switch (leaf.kind) {
    case FrameKind::kObjectFirst:
    case FrameKind::kObjectKey:
    case FrameKind::kObjectValue:
    case FrameKind::kObjectNext:
    case FrameKind::kArrayFirst:
    case FrameKind::kArrayItem:
    case FrameKind::kArrayNext: return free() || indented();
    case FrameKind::kObjectColon:
    case FrameKind::kSpace: return free();
    default: return false;
  }
}

// What follows the whitespace at `node`, however much of it was written.
void StateSpace::Machine::go_past(NodeId node, bool broken) {
  Frame leaf = frames_[node];
  const NodeId stack = leaf.parent;
  leaf.a = free() ? 0 : kPast;
  switch (leaf.kind) {
    case FrameKind::kSpace:
      keep(leaf);
      go_on(leaf.where, stack);
      return;
    case FrameKind::kObjectValue:
      if (free()) keep(leaf);
      go_on(program_->objects[object_of(stack)].members[leaf.b - 1].value, stack);
      return;
    case FrameKind::kArrayItem:
      if (free()) keep(leaf);
      items(stack);
      return;
    case FrameKind::kArrayFirst:
      if (free()) {
        array_first(stack, 0);
        return;
      }
      if (view_of_array(stack).may_close) keep(leaf);
      items(with_broken(stack, broken ? Broken::kLines : Broken::kOneLine));
      return;
    default: keep(leaf); return;
  }
}

StateId StateSpace::Machine::replay(StateId state, std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && state != kDead) {
    if (crowded()) start_over({&state, 1});
    std::size_t end = at;
    while (end < text.size() && is_space(static_cast<unsigned char>(text[end]))) ++end;
    const std::string_view spaces = text.substr(at, end - at);
    const bool broken = spaces.find_first_of("\r\n") != std::string_view::npos;
    const std::vector<NodeId> before(nodes(state).begin(), nodes(state).end());
    const bool gap =
        std::any_of(before.begin(), before.end(), [this](NodeId node) { return has_gap(frames_[node]); });
    if (gap) {
      StateId exact = state;
      for (const char c : spaces) exact = step(exact, static_cast<unsigned char>(c));
      if (end == text.size() && exact != kDead) return exact;
      begin();
      for (const NodeId node : before) {
        if (has_gap(frames_[node])) go_past(node, broken);
      }
      state = united(finish(), exact);
      at = end;
      if (at == text.size()) break;
    }
    if (state == kDead) break;
    state = step(state, static_cast<unsigned char>(text[at++]));
  }
  return state;
}

}  // namespace emberline::grammar
