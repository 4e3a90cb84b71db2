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

bool StateSpace::Machine::has_gap(const Frame& leaf) {
  switch (leaf.kind) {
    case FrameKind::kObjectFirst:
    case FrameKind::kObjectKey:
    case FrameKind::kObjectColon:
    case FrameKind::kObjectValue:
    case FrameKind::kObjectNext:
    case FrameKind::kArrayFirst:
    case FrameKind::kArrayItem:
    case FrameKind::kArrayNext:
    case FrameKind::kSpace: return true;
    default: return false;
  }
}

bool StateSpace::Machine::begins_value(const Frame& leaf) const {
  if (!program_->of_json) return false;
  switch (leaf.kind) {
    case FrameKind::kObjectOpen:
    case FrameKind::kArrayOpen: return true;
    // No text of a JSON scalar goes on as it could have begun; where a string is several terminals (a quote,
    // its characters, a quote), those behind the first are inside it.
    case FrameKind::kTerminal:
      return leaf.a == 0 && leaf.b == 0 &&
             (leaf.where < 2 || program_->code[leaf.where - 2].op != Op::kTerminal);
    default: return false;
  }
}

// What follows the whitespace at `node`, however much of it was written.
void StateSpace::Machine::go_past(NodeId node, bool broken) {
  Frame leaf = frames_[node];
  const NodeId stack = leaf.parent;
  // Inside the line break that the layout has there.
  broken = broken || (indented() && leaf.a > 0 && leaf.a != kPast);
  leaf.a = indented() && leaf.kind != FrameKind::kObjectColon ? kPast : 0;
  switch (leaf.kind) {
    case FrameKind::kSpace:
      keep(leaf);
      go_on(leaf.where, stack);
      return;
    case FrameKind::kObjectValue:
      if (free()) keep(leaf);
      member_value(stack, leaf.b);
      return;
    case FrameKind::kArrayItem:
      if (free()) keep(leaf);
      items(stack);
      return;
    case FrameKind::kArrayFirst:
      if (!indented()) {
        array_first(stack, 0);
        return;
      }
      keep(leaf);  // a line break may follow in the next piece
      items(with_broken(stack, broken ? Broken::kLines : Broken::kOneLine));
      return;
    default: keep(leaf); return;
  }
}

// Behind whitespace that somebody wrote at `state`, the layout left aside. kDead where none can be.
StateId StateSpace::Machine::past_whitespace(StateId state, bool broken) {
  const std::vector<NodeId> before(nodes(state).begin(), nodes(state).end());
  // Where an indented text has whitespace that is still to come, that decides how a value is read: see
  // kArrayFirst.
  const bool decides = indented() && std::any_of(before.begin(), before.end(), [this](NodeId node) {
                         return has_gap(frames_[node]) && frames_[node].a != kPast;
                       });
  begin();
  making_.ends = program_->of_json && !free() && may_end(state);
  for (const NodeId node : before) {
    const Frame leaf = frames_[node];
    if (has_gap(leaf)) {
      go_past(node, broken);
    } else if (begins_value(leaf) && !decides) {
      keep(leaf);
    }
  }
  return finish();
}

StateId StateSpace::Machine::replay(StateId state, std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && state != kDead) {
    if (crowded()) start_over({&state, 1});
    std::size_t end = at;
    while (end < text.size() && is_space(static_cast<unsigned char>(text[end]))) ++end;
    const std::string_view spaces = text.substr(at, end - at);
    // Whitespace that is not there matters where the layout has some.
    if (!spaces.empty() || indented()) {
      const bool broken = spaces.find_first_of("\r\n") != std::string_view::npos;
      StateId exact = state;
      for (const char c : spaces) exact = step(exact, static_cast<unsigned char>(c));
      if (end == text.size() && exact != kDead) return exact;
      state = united(past_whitespace(state, broken), exact);
      at = end;
      if (at == text.size() || state == kDead) break;
    }
    state = step(state, static_cast<unsigned char>(text[at++]));
  }
  return state;
}

}  // namespace emberline::grammar
