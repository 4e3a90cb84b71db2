#include "grammar/automaton/unique_items.h"

#include <algorithm>
#include <utility>

#include "grammar/automaton/closure.h"
#include "grammar/automaton/other_text.h"
#include "grammar/automaton/other_value.h"
#include "grammar/automaton/state_space.h"

namespace emberline::grammar {

namespace {

// An object or an array.
bool opens(int byte) {
  return byte == '{' || byte == '[';
}

}  // namespace

UniqueItems::UniqueItems(StateSpace& space, Stacks& stacks, Texts& texts, Closure& closure)
    : program_(space.program()),
      space_(space),
      stacks_(stacks),
      texts_(texts),
      closure_(closure),
      least_texts_(program_.arrays.size(), kNone) {}

void UniqueItems::start_over() {
  trees_.clear();
  tree_bytes_ = 0;
}

NodeId UniqueItems::item_of(NodeId array) {
  const Frame around = stacks_[array];
  Frame item = stacks_.open_on(array, FrameKind::kUniqueItem, around.where);
  item.text() = kNoText;
  item.alike() = kByText;
  item.flags |= kFollowed;
  return stacks_.intern(item);
}

NodeId UniqueItems::grown(NodeId stack, unsigned char byte) {
  const NodeId bottom = stacks_.below_followed(stack);
  return stacks_.changed(stack, bottom, bottom, [&](Frame& frame) {
    if (frame.kind != FrameKind::kUniqueItem) return;
    if (frame.text() == kNoText && opens(byte))
      frame.alike() = texts_.set_of_list(stacks_[frame.parent].item_texts());
    frame.text() = texts_.extend(frame.text(), byte);
    if (frame.alike() == kNone || frame.alike() == kByText) return;
    const std::string front = texts_.spelled(frame.text());
    std::vector<TextId> left;
    for (const TextId each : texts_.in_set(frame.alike())) {
      if (ValueCursor(tree(each)).step(std::string_view(front))) left.push_back(each);
    }
    frame.alike() = texts_.set_of(std::move(left));
  });
}

NodeId UniqueItems::array_with(const Frame& item) {
  Frame array = stacks_[item.parent];
  const TextId text = rule(item).containers ? normalised(item.text()) : item.text();
  if (texts_.holds(array.item_texts(), text)) return kNone;
  array.item_texts() = texts_.appended(array.item_texts(), text);
  return stacks_.intern(array);
}

bool UniqueItems::another_exists(NodeId array, Pc value) {
  const TextListId texts = stacks_[array].item_texts();
  const Closure::Aside aside(closure_);
  if (least_texts(rule_of(program_, stacks_[array])) > texts_.length(texts)) return true;
  const StateId first = space_.at(value, kNone);
  if (begins_otherwise(first, texts)) return true;
  return another_behind(first, rule(stacks_[array]), texts, kByText, kNoText);
}

// A byte leads on from `first` with which none of `texts` begins.
bool UniqueItems::begins_otherwise(StateId first, TextListId texts) {
  if (first == kDead) return false;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto each = static_cast<unsigned char>(byte);
    if (!texts_.begins(texts, each) && space_.step(first, each) != kDead) return true;
  }
  return false;
}

// From `first`, behind `front`, to an item that is none of `alike`, which are among `texts`.
bool UniqueItems::another_behind(StateId first, const ArrayRule& rule, TextListId texts, TextSetId alike,
                                 TextId front) {
  if (first == kDead) return false;
  if (alike != kByText) return other_value_exists(space_, first, cursors(alike, front));
  if (rule.containers && front == kNoText)
    return other_value_exists(space_, first, cursors(texts_.set_of_list(texts), kNoText));
  return other_text_exists(
      first, texts_.all_behind(texts, front),
      [this](StateId state, unsigned char byte) { return space_.step(state, byte); },
      [this](StateId state) { return space_.may_end(state); });
}

bool UniqueItems::some_alike(const Frame& item) const {
  if (item.alike() != kByText) return item.alike() != kNone;
  return texts_.any_behind(stacks_[item.parent].item_texts(), item.text());
}

bool UniqueItems::live(const Frame& leaf) {
  // Those before are finitely many.
  if (leaf.kind == FrameKind::kTerminal &&
      space_.terminal_guide(rule_of(program_, leaf)).endless(leaf.state()))
    return true;
  bool alike = false;
  for (NodeId node = leaf.parent; node != kNone && !alike && stacks_[node].followed();
       node = stacks_[node].parent)
    alike = stacks_[node].kind == FrameKind::kUniqueItem && some_alike(stacks_[node]);
  if (!alike) return true;
  std::vector<Frame> above{leaf};
  std::vector<std::size_t> items;  // innermost first
  for (NodeId node = leaf.parent; node != kNone && stacks_[node].followed(); node = stacks_[node].parent) {
    if (stacks_[node].kind == FrameKind::kUniqueItem) items.push_back(above.size());
    above.push_back(stacks_[node]);
  }
  // The outermost item alone, apart from the array it is in.
  const Frame outermost = above[items.back()];
  const std::size_t inner = items.size() > 1 ? items[items.size() - 2] + 1 : 0;
  NodeId stack = kNone;
  for (std::size_t i = items.back(); i-- > 0;) {
    Frame frame = above[i];
    frame.parent = stack;
    if (i >= inner) frame.flags = 0;
    if (i == 0 && inner > 0 && !live(frame)) return false;
    stack = stacks_.intern(frame);
  }
  if (!some_alike(outermost)) return true;
  const Closure::Aside aside(closure_);
  const StateId first = space_.of_nodes({&stack, 1});
  const TextListId texts = stacks_[outermost.parent].item_texts();
  if (outermost.text() == kNoText && begins_otherwise(first, texts)) return true;
  return another_behind(first, rule(outermost), texts, outermost.alike(), outermost.text());
}

NodeId UniqueItems::loosened(NodeId leaf) {
  NodeId outermost = leaf;  // array
  for (; stacks_[outermost].followed(); outermost = stacks_[outermost].parent) {
    if (stacks_[outermost].kind != FrameKind::kUniqueItem) continue;
    const Frame array = stacks_[stacks_[outermost].parent];
    if ((array.flags & kLoosened) != 0) return kNone;
    const std::uint64_t before = texts_.length(array.item_texts());
    if (least_texts(rule_of(program_, array)) < before + space_.distance() + 2) return kNone;
  }
  const NodeId below = stacks_[outermost].parent;
  return stacks_.changed(leaf, below, below, [this](Frame& frame) {
    frame.flags = kLoosened;
    if (frame.kind != FrameKind::kUniqueItem) return;
    frame.text() = kNoText;
    frame.alike() = kByText;
    Frame array = stacks_[frame.parent];
    array.item_texts() = kNone;
    frame.parent = stacks_.intern(array);
  });
}

UniqueItems::Alike UniqueItems::alike(NodeId leaf) {
  Alike alike;
  for (NodeId node = leaf; node != kNone && stacks_[node].followed(); node = stacks_[node].parent) {
    const Frame item = stacks_[node];
    if (item.kind != FrameKind::kUniqueItem) continue;
    if (item.alike() != kByText) {
      for (ValueCursor& each : cursors(item.alike(), item.text())) alike.values.push_back(std::move(each));
      continue;
    }
    // A scalar, or nothing yet: no item is within it.
    const TextListId texts = stacks_[item.parent].item_texts();
    alike.texts = texts_.all_behind(texts, item.text());
    if (item.text() != kNoText || !rule(item).containers) continue;
    std::erase_if(alike.texts, [](const std::string& each) { return opens(each[0]); });
    for (ValueCursor& each : cursors(texts_.set_of_list(texts), kNoText)) {
      if (!each.of_scalar()) alike.values.push_back(std::move(each));
    }
  }
  return alike;
}

// How many different items the array can have, at least: kUnbounded where there is no end of them.
std::uint32_t UniqueItems::least_texts(std::uint32_t array) {
  const ArrayRule& of = program_.arrays[array];
  if (of.containers || of.least_values > 0) return of.least_values;
  if (least_texts_[array] != kNone) return least_texts_[array];
  std::vector<Item> items = of.prefix;
  items.push_back(of.rest);
  std::uint32_t least = kUnbounded - 1;
  for (const Item& each : items) {
    for (const Pc value : {each.value, each.counted}) {
      if (value != kNone) least = std::min(least, count_texts(space_, value));
    }
  }
  return least_texts_[array] = least;
}

TextId UniqueItems::normalised(TextId text) {
  const std::string spelled = texts_.spelled(text);
  if (spelled.empty() || (spelled[0] != '{' && spelled[0] != '[')) return text;
  return texts_.extend(kNoText, ValueTree(spelled).normalised());
}

const ValueTree& UniqueItems::tree(TextId text) {
  std::unique_ptr<ValueTree>& tree = trees_[text];
  if (!tree) {
    tree = std::make_unique<ValueTree>(texts_.spelled(text));
    tree_bytes_ += tree->bytes();
  }
  return *tree;
}

std::vector<ValueCursor> UniqueItems::cursors(TextSetId set, TextId front) {
  std::vector<ValueCursor> found;
  if (set == kNone) return found;
  const std::string spelled = texts_.spelled(front);
  for (const TextId each : texts_.in_set(set)) {
    found.emplace_back(tree(each));
    if (!found.back().step(std::string_view(spelled))) found.pop_back();
  }
  return found;
}

}  // namespace emberline::grammar
