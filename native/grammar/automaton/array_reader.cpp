#include "grammar/automaton/array_reader.h"

#include <optional>

namespace emberline::grammar {

ArrayReader::ArrayReader(const Program& program, const LayoutText& layout, Stacks& stacks,
                         UniqueItems& unique_items, Closure& closure)
    : program_(program),
      layout_(layout),
      stacks_(stacks),
      unique_items_(unique_items),
      closure_(closure),
      guides_(program.arrays) {}

const ArrayView& ArrayReader::view(NodeId array) {
  const auto found = views_.find(array);
  if (found != views_.end()) return found->second;
  const Frame frame = stacks_[array];
  ArrayView view = guides_[rule_of(program_, frame)].view(frame.items(), frame.counted());
  if (rule(array).unique && frame.item_texts() != kNone) {
    for (Pc* const value : {&view.plain, &view.counted})
      if (*value != kNone && !unique_items_.another_exists(array, *value)) *value = kNone;
  }
  return views_.emplace(array, view).first->second;
}

void ArrayReader::open(const Frame& leaf) {
  Frame array = stacks_.open_on(leaf.parent, FrameKind::kInArray, leaf.where);
  ++array.level;
  array.item_texts() = kNone;
  array.broken = layout_.indented() ? Broken::kUndecided : Broken::kOneLine;
  first(stacks_.intern(array), 0);
}

void ArrayReader::first(NodeId array, std::uint32_t spaces) {
  const ArrayView now = view(array);
  if (!now.may_close && !now.more()) return;
  Frame leaf = stacks_.leaf_on(array, FrameKind::kArrayFirst, stacks_[array].where);
  leaf.spaces() = spaces;
  const bool goes_on = layout_.free() ? spaces < kMostSpaces : layout_.indented() && now.more();
  if (now.may_close || goes_on) closure_.keep(leaf);
  items(layout_.indented() ? with_broken(array, Broken::kOneLine) : array);
}

NodeId ArrayReader::with_broken(NodeId array, Broken broken) {
  Frame frame = stacks_[array];
  if (frame.broken != Broken::kUndecided) return array;
  frame.broken = broken;
  if (broken == Broken::kOneLine) --frame.level;
  return stacks_.intern(frame);
}

void ArrayReader::items(NodeId array) {
  const ArrayView now = view(array);
  if (now.plain != kNone) item(array, now.plain, false);
  if (now.counted != kNone) item(array, now.counted, true);
}

void ArrayReader::item(NodeId array, Pc value, bool counted) {
  Frame frame = stacks_[array];
  const ArrayGuide& guide = guides_[rule_of(program_, frame)];
  frame.items() = guide.items_behind(frame.items());
  if (counted) frame.counted() = guide.counted_behind(frame.counted());
  const NodeId with = stacks_.intern(frame);
  if (!rule(array).unique) {
    closure_.go_on(value, with);
  } else if (!stacks_.too_deep(with)) {
    closure_.go_on(value, unique_items_.item_of(with));
  }
}

void ArrayReader::comma(NodeId array) {
  const Frame leaf = stacks_.leaf_on(array, FrameKind::kArrayItem, stacks_[array].where);
  if (layout_.free() || layout_.byte(leaf, 0)) closure_.keep(leaf);
  if (!layout_.indented()) items(array);
}

void ArrayReader::step(const Frame& leaf, unsigned char byte) {
  const NodeId array = leaf.parent;
  const ArrayView now = view(array);
  Frame next = leaf;
  ++next.spaces();
  if (layout_.free() && is_space(byte)) {
    if (leaf.spaces() >= kMostSpaces) return;
    if (leaf.kind == FrameKind::kArrayFirst) {
      first(array, next.spaces());
    } else if (leaf.kind == FrameKind::kArrayNext) {
      closure_.keep(next);
    } else {
      if (next.spaces() < kMostSpaces) closure_.keep(next);
      items(array);
    }
    return;
  }
  if (const std::optional<unsigned char> space = layout_.byte(leaf, leaf.spaces())) {
    if (byte == *space) {
      if (leaf.kind == FrameKind::kArrayNext) {
        if (now.may_close) closure_.keep(next);
      } else if (now.more()) {
        if (layout_.byte(leaf, next.spaces())) {
          closure_.keep(next);
        } else {
          items(with_broken(array, Broken::kLines));
        }
      }
      return;
    }
    if (leaf.spaces() > 0) return;
    if (leaf.kind == FrameKind::kArrayFirst && byte == ']' && now.may_close) close(array);
    if (leaf.kind == FrameKind::kArrayNext && byte == ',' && now.more()) comma(array);
    return;
  }
  if (leaf.kind == FrameKind::kArrayItem) return;
  if (byte == ']' && now.may_close) close(array);
  // Behind whitespace that the layout has before a closing bracket, only that bracket comes.
  if (leaf.kind == FrameKind::kArrayNext && byte == ',' && now.more() && layout_.undecided(leaf))
    comma(array);
}

}  // namespace emberline::grammar
