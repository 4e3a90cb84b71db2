// How arrays are read.
#include <utility>

#include "grammar/automaton/machine.h"
#include "grammar/automaton/other_text.h"

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

// Items that have to differ from those before them.

namespace {

// What has no item around it any more.
constexpr NodeId kAlone = kNone;

}  // namespace

bool StateSpace::Machine::other_item_exists(NodeId array, Pc value) {
  const std::vector<std::string> seen = texts_behind(frames_[array].c, kNoText);
  const Making outside = std::exchange(making_, {});
  begin();
  go_on(value, kAlone);
  const StateId first = finish();
  const bool exists =
      first != kDead &&
      other_text_exists(
          first, seen, [this](StateId state, unsigned char byte) { return step(state, byte); },
          [this](StateId state) { return may_end(state); });
  making_ = outside;
  return exists;
}

// Whether what `leaf` reads can become a text that is not yet among the items.
bool StateSpace::Machine::item_is_live(const Frame& leaf) {
  std::vector<Frame> above{leaf};
  while (frames_[above.back().parent].kind != FrameKind::kUniqueItem)
    above.push_back(frames_[above.back().parent]);
  const Frame unique = frames_[above.back().parent];
  const std::vector<std::string> seen = texts_behind(frames_[unique.parent].c, unique.a);
  if (seen.empty()) return true;
  NodeId stack = kAlone;
  for (std::size_t i = above.size(); i-- > 0;) {
    Frame frame = above[i];
    frame.parent = stack;
    frame.tracked = 0;
    stack = frames_.intern(frame);
  }
  const Making outside = std::exchange(making_, {});
  const StateId first = only(stack);
  const bool exists =
      first != kDead &&
      other_text_exists(
          first, seen, [this](StateId state, unsigned char byte) { return step(state, byte); },
          [this](StateId state) { return may_end(state); });
  making_ = outside;
  return exists;
}

NodeId StateSpace::Machine::loosened(NodeId leaf) {
  std::vector<Frame> above;
  NodeId stack = leaf;
  for (; stack != kNone && (frames_[stack].tracked & kTracked) != 0; stack = frames_[stack].parent) {
    above.push_back(frames_[stack]);
    if (frames_[stack].kind == FrameKind::kUniqueItem &&
        (frames_[frames_[stack].parent].tracked & kTracked) != 0)
      return kNone;
  }
  Frame array = frames_[stack];
  if ((array.tracked & kLoose) != 0) return kNone;
  const std::uint64_t before = array.c == kNone ? 0 : lists_[array.c].length;
  if (least_texts(array_of(stack)) < before + distance_ + 2) return kNone;
  array.c = kNone;
  array.tracked |= kLoose;
  stack = frames_.intern(array);
  for (std::size_t i = above.size(); i-- > 0;) {
    Frame frame = above[i];
    frame.parent = stack;
    frame.tracked = kLoose;
    if (frame.kind == FrameKind::kUniqueItem) frame.a = kNoText;
    stack = frames_.intern(frame);
  }
  return stack;
}

std::vector<std::string> StateSpace::Machine::items_behind_text(NodeId leaf) const {
  while (frames_[leaf].kind != FrameKind::kUniqueItem) leaf = frames_[leaf].parent;
  return texts_behind(frames_[frames_[leaf].parent].c, frames_[leaf].a);
}

// How many texts an item of the array can have, at least: kUnbounded where there is no end of them.
std::uint32_t StateSpace::Machine::least_texts(std::uint32_t array) {
  std::uint32_t& least = least_texts_[array];
  if (least != kNone) return least;
  const ArrayRule& rule = program_->arrays[array];
  std::vector<Item> items = rule.prefix;
  items.push_back(rule.rest);
  least = kUnbounded - 1;
  for (const Item& each : items) {
    for (const Pc value : {each.value, each.counted}) {
      if (value != kNone) least = std::min(least, count_texts_of(value));
    }
  }
  return least;
}

// Depth first, until there are enough of them or a way goes round in a circle.
std::uint32_t StateSpace::Machine::count_texts_of(Pc value) {
  constexpr std::uint32_t kEnough = 2000;
  constexpr std::size_t kMostSteps = 20000;
  begin();
  go_on(value, kAlone);
  struct Place {
    StateId state;
    int next_byte;
  };
  std::vector<Place> path{{finish(), 0}};
  std::uint32_t texts = may_end(path.back().state) ? 1 : 0;
  for (std::size_t steps = 0; steps < kMostSteps && !path.empty() && texts < kEnough; ++steps) {
    Place& top = path.back();
    StateId next = kDead;
    while (top.next_byte < 256 && next == kDead)
      next = step(top.state, static_cast<unsigned char>(top.next_byte++));
    if (next == kDead) {
      path.pop_back();
      continue;
    }
    for (const Place& each : path) {
      if (each.state == next) return kUnbounded - 1;
    }
    path.push_back({next, 0});
    texts += may_end(next) ? 1 : 0;
  }
  return texts;
}

// `stack` with `byte` behind the text of every item in it that is followed.
NodeId StateSpace::Machine::grown(NodeId stack, unsigned char byte) {
  std::vector<Frame> above;
  while (stack != kNone && (frames_[stack].tracked & kTracked) != 0) {
    above.push_back(frames_[stack]);
    stack = frames_[stack].parent;
  }
  for (std::size_t i = above.size(); i-- > 0;) {
    Frame frame = above[i];
    frame.parent = stack;
    if (frame.kind == FrameKind::kUniqueItem) frame.a = extend(frame.a, byte);
    stack = frames_.intern(frame);
  }
  return stack;
}

}  // namespace emberline::grammar
