// Whitespace that somebody wrote, whatever the layout.
#include <algorithm>

#include "grammar/automaton/state_space.h"

namespace emberline::grammar {

namespace {

// Whether whitespace may stand before what `leaf` reads.
bool has_gap(const Frame& leaf) {
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

// Whether `leaf` reads a JSON value of which nothing has come yet.
bool begins_value(const Program& program, const Frame& leaf) {
  if (!program.of_json) return false;
  switch (leaf.kind) {
    case FrameKind::kObjectOpen:
    case FrameKind::kArrayOpen: return true;
    // No text of a JSON scalar goes on as it could have begun; where a string is several terminals (a quote,
    // its characters, a quote), those behind the first are inside it.
    case FrameKind::kTerminal:
      return leaf.state() == 0 && leaf.characters() == 0 &&
             (leaf.where < 2 || program.code[leaf.where - 2].op != Op::kTerminal);
    default: return false;
  }
}

}  // namespace

void StateSpace::pass_whitespace(std::span<const NodeId> nodes, bool broken) {
  // Where an indented text has whitespace that is still to come, that decides how a value is read: see
  // kArrayFirst.
  const bool decides = layout_.indented() && std::any_of(nodes.begin(), nodes.end(), [this](NodeId node) {
                         return has_gap(stacks_[node]) && stacks_[node].spaces() != kPast;
                       });
  for (const NodeId node : nodes) {
    const Frame leaf = stacks_[node];
    if (has_gap(leaf)) {
      pass_whitespace(leaf, broken);
    } else if (begins_value(*program_, leaf) && !decides) {
      closure_.keep(leaf);
    }
  }
}

// However much of it was written.
void StateSpace::pass_whitespace(Frame leaf, bool broken) {
  const NodeId stack = leaf.parent;
  // Inside the line break that the layout has there.
  broken = broken || (layout_.indented() && leaf.spaces() > 0 && leaf.spaces() != kPast);
  leaf.spaces() = layout_.indented() && leaf.kind != FrameKind::kObjectColon ? kPast : 0;
  switch (leaf.kind) {
    case FrameKind::kSpace:
      closure_.keep(leaf);
      closure_.go_on(leaf.where, stack);
      return;
    case FrameKind::kObjectValue:
      if (layout_.free()) closure_.keep(leaf);
      objects_.member_value(stack, leaf.label());
      return;
    case FrameKind::kArrayItem:
      if (layout_.free()) closure_.keep(leaf);
      arrays_.items(stack);
      return;
    case FrameKind::kArrayFirst:
      if (!layout_.indented()) {
        arrays_.first(stack, 0);
        return;
      }
      closure_.keep(leaf);  // a line break may follow in the next piece
      arrays_.items(arrays_.with_broken(stack, broken ? Broken::kLines : Broken::kOneLine));
      return;
    default: closure_.keep(leaf); return;
  }
}

}  // namespace emberline::grammar
