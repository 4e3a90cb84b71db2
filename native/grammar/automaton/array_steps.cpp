// How arrays are read.
#include "grammar/automaton/machine.h"

namespace emberline::grammar {

ArrayGuide& StateSpace::Machine::array_guide(std::uint32_t array) {
  std::unique_ptr<ArrayGuide>& guide = array_guides_[array];
  if (!guide) guide = std::make_unique<ArrayGuide>(program_->arrays[array]);
  return *guide;
}

const ArrayView& StateSpace::Machine::view_of_array(NodeId array) {
  const auto found = array_views_.find(array);
  if (found != array_views_.end()) return found->second;
  const Frame frame = frames_[array];
  ArrayView view = array_guide(array_of(array)).view(frame.a, frame.b);
  if (program_->arrays[array_of(array)].unique && frame.c != kNone) {
    if (view.plain != kNone && !other_item_exists(array, view.plain)) view.plain = kNone;
    if (view.counted != kNone && !other_item_exists(array, view.counted)) view.counted = kNone;
  }
  return array_views_.emplace(array, view).first->second;
}

// Behind the bracket and `spaces` bytes of free layout's whitespace.
void StateSpace::Machine::array_first(NodeId array, std::uint32_t spaces) {
  const ArrayView view = view_of_array(array);
  if (!view.may_close && !view.more()) return;
  Frame leaf = leaf_on(array, FrameKind::kArrayFirst, frames_[array].where);
  leaf.a = spaces;
  const bool goes_on = free() ? spaces < kMostSpaces : indented() && view.more();
  if (view.may_close || goes_on) keep(leaf);
  items(indented() ? with_broken(array, Broken::kOneLine) : array);
}

NodeId StateSpace::Machine::with_broken(NodeId array, Broken broken) {
  Frame frame = frames_[array];
  if (frame.broken != Broken::kUndecided) return array;
  frame.broken = broken;
  if (broken == Broken::kOneLine) --frame.level;
  return frames_.intern(frame);
}

void StateSpace::Machine::items(NodeId array) {
  const ArrayView view = view_of_array(array);
  if (view.plain != kNone) item(array, view.plain, false);
  if (view.counted != kNone) item(array, view.counted, true);
}

void StateSpace::Machine::item(NodeId array, Pc value, bool counted) {
  Frame frame = frames_[array];
  const ArrayGuide& guide = array_guide(array_of(array));
  frame.a = guide.items_behind(frame.a);
  if (counted) frame.b = guide.counted_behind(frame.b);
  const NodeId with = frames_.intern(frame);
  if (!program_->arrays[array_of(array)].unique) {
    go_on(value, with);
    return;
  }
  if (too_deep(with)) return;
  Frame unique = leaf_on(with, FrameKind::kUniqueItem, frame.where);
  ++unique.depth;
  unique.a = kNoText;
  unique.b = program_->arrays[array_of(array)].containers ? set_of_list(frame.c) : kNone;
  unique.tracked |= kTracked;
  go_on(value, frames_.intern(unique));
}

void StateSpace::Machine::step_array(const Frame& leaf, unsigned char byte) {
  const NodeId array = leaf.parent;
  const ArrayView view = view_of_array(array);
  Frame next = leaf;
  ++next.a;
  const auto comma = [&] {
    const Frame item_leaf = leaf_on(array, FrameKind::kArrayItem, leaf.where);
    if (free() || layout_byte(item_leaf, 0)) keep(item_leaf);
    if (!indented()) items(array);
  };
  if (free() && is_space(byte)) {
    if (leaf.a >= kMostSpaces) return;
    if (leaf.kind == FrameKind::kArrayFirst) {
      array_first(array, next.a);
    } else if (leaf.kind == FrameKind::kArrayNext) {
      keep(next);
    } else {
      if (next.a < kMostSpaces) keep(next);
      items(array);
    }
    return;
  }
  if (const std::optional<unsigned char> space = layout_byte(leaf, leaf.a)) {
    if (byte == *space) {
      if (leaf.kind == FrameKind::kArrayNext) {
        if (view.may_close) keep(next);
      } else if (view.more()) {
        if (layout_byte(leaf, next.a)) {
          keep(next);
        } else {
          items(with_broken(array, Broken::kLines));
        }
      }
      return;
    }
    if (leaf.a > 0) return;
    if (leaf.kind == FrameKind::kArrayFirst && byte == ']' && view.may_close) close_container(array);
    if (leaf.kind == FrameKind::kArrayNext && byte == ',' && view.more()) comma();
    return;
  }
  if (leaf.kind == FrameKind::kArrayItem) return;
  if (byte == ']' && view.may_close) close_container(array);
  // Behind whitespace that the layout has before a closing bracket, only that bracket comes.
  const bool whole = leaf.a == 0 || leaf.a == kPast || free();
  if (leaf.kind == FrameKind::kArrayNext && byte == ',' && view.more() && whole) comma();
}

}  // namespace emberline::grammar
