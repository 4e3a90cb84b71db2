// Items that have to differ from those before them.
//
// An array keeps the texts of its items, and an item that is under way the ones that it may still become
// equal to. As long as there are such, a step is only taken where a text leads on from it that is none of
// them.
#include <algorithm>
#include <utility>

#include "grammar/automaton/machine.h"
#include "grammar/automaton/other_text.h"

namespace emberline::grammar {

namespace {

// What has no item around it any more.
constexpr NodeId kAlone = kNone;

}  // namespace

bool StateSpace::Machine::other_item_exists(NodeId array, Pc value) {
  const std::uint32_t list = frames_[array].c;
  const bool containers = program_->arrays[array_of(array)].containers;
  const Making outside = std::exchange(making_, {});
  bool exists = containers && least_texts(array_of(array)) > lists_[list].length;
  if (!exists) {
    begin();
    go_on(value, kAlone);
    const StateId first = finish();
    if (first == kDead) {
      exists = false;
    } else if (containers) {
      exists = other_value_exists(first, cursors(set_of_list(list), kNoText));
    } else {
      exists = other_text_exists(
          first, texts_behind(list, kNoText),
          [this](StateId state, unsigned char byte) { return step(state, byte); },
          [this](StateId state) { return may_end(state); });
    }
  }
  making_ = outside;
  return exists;
}

bool StateSpace::Machine::some_alike(const Frame& unique) const {
  if (rule_of_item(unique).containers) return unique.b != kNone;
  for (std::uint32_t list = frames_[unique.parent].c; list != kNone; list = lists_[list].rest) {
    if (is_prefix(unique.a, lists_[list].text)) return true;
  }
  return false;
}

// Whether what `leaf` reads can become a text that is not yet among the items, and so on for the items
// around.
bool StateSpace::Machine::item_is_live(const Frame& leaf) {
  bool alike = false;
  for (NodeId node = leaf.parent; node != kAlone && !alike && (frames_[node].tracked & kTracked) != 0;
       node = frames_[node].parent)
    alike = frames_[node].kind == FrameKind::kUniqueItem && some_alike(frames_[node]);
  if (!alike) return true;
  std::vector<Frame> above{leaf};
  std::vector<std::size_t> items;  // innermost first
  for (NodeId node = leaf.parent; node != kAlone && (frames_[node].tracked & kTracked) != 0;
       node = frames_[node].parent) {
    if (frames_[node].kind == FrameKind::kUniqueItem) items.push_back(above.size());
    above.push_back(frames_[node]);
  }
  // The outermost item alone, apart from the array it is in.
  const Frame unique = above[items.back()];
  const std::size_t inner = items.size() > 1 ? items[items.size() - 2] + 1 : 0;
  NodeId stack = kAlone;
  for (std::size_t i = items.back(); i-- > 0;) {
    Frame frame = above[i];
    frame.parent = stack;
    if (i >= inner) frame.tracked = 0;
    if (i == 0 && inner > 0 && !item_is_live(frame)) return false;
    stack = frames_.intern(frame);
  }
  if (!some_alike(unique)) return true;
  const Making outside = std::exchange(making_, {});
  const StateId first = only(stack);
  bool exists = false;
  if (first != kDead && rule_of_item(unique).containers) {
    exists = other_value_exists(first, cursors(unique.b, unique.a));
  } else if (first != kDead) {
    exists = other_text_exists(
        first, texts_behind(frames_[unique.parent].c, unique.a),
        [this](StateId state, unsigned char byte) { return step(state, byte); },
        [this](StateId state) { return may_end(state); });
  }
  making_ = outside;
  return exists;
}

// Whether a text leads from `first` to an end that is no spelling of a value of `alike`. Goes only where some
// of them go: where none does, anything that comes is another value. Whatever members an object gets they may
// come in one order, so those that begin here come ascending.
bool StateSpace::Machine::other_value_exists(StateId first, std::vector<ValueCursor> alike) {
  constexpr std::size_t kMostPlaces = 5'000;
  struct Place {
    StateId state;
    std::vector<ValueCursor> alike;
    std::vector<std::string> last_keys;  // of each open object: the last that began here
    bool own_key;                        // the key that is being read began here
  };
  std::vector<Place> work;
  std::vector<std::string> last_keys(alike.empty() ? 0 : alike.front().depth());
  work.push_back({first, std::move(alike), std::move(last_keys), false});
  for (std::size_t places = 0; !work.empty(); ++places) {
    const Place place = std::move(work.back());
    work.pop_back();
    if (places == kMostPlaces) {
      too_large("more ways to tell items apart");
      return true;
    }
    const auto at_end = [](const ValueCursor& each) { return each.at_end(); };
    if (may_end(place.state) && std::none_of(place.alike.begin(), place.alike.end(), at_end)) return true;
    std::bitset<256> next;
    for (const ValueCursor& each : place.alike) each.add_next(next);
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (!next[byte] && step(place.state, static_cast<unsigned char>(byte)) != kDead) return true;
    }
    // Free layout's whitespace leads nowhere else, but to the items or the value behind it where `first` has
    // nothing but whitespace.
    const bool between = free() && places > 0 && !place.alike.empty() && !place.alike.front().in_text();
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (!next[byte] || (between && is_space(static_cast<unsigned char>(byte)))) continue;
      const StateId state = step(place.state, static_cast<unsigned char>(byte));
      if (state == kDead) continue;
      Place behind{state, {}, place.last_keys, place.own_key};
      for (const ValueCursor& each : place.alike) {
        ValueCursor cursor = each;
        if (cursor.step(static_cast<unsigned char>(byte))) behind.alike.push_back(std::move(cursor));
      }
      if (behind.alike.empty()) continue;
      const ValueCursor& before = place.alike.front();
      const ValueCursor& after = behind.alike.front();
      behind.last_keys.resize(after.depth());
      if (!before.in_key() && after.in_key()) behind.own_key = true;
      if (before.in_key() && after.behind_key() && behind.own_key) {
        std::string& last = behind.last_keys.back();
        if (after.key() <= last || skips_required(state, behind.alike)) continue;
        last = after.key();
      }
      work.push_back(std::move(behind));
    }
  }
  return false;
}

// Behind a key: whether, if no smaller one comes any more, one that is required is left out, or too few are
// left.
bool StateSpace::Machine::skips_required(StateId state, const std::vector<ValueCursor>& alike) {
  std::vector<std::string_view> smaller;
  for (const ValueCursor& each : alike) each.add_smaller_keys(smaller);
  if (smaller.empty()) return false;
  const std::span<const NodeId> all = nodes(state);
  return std::all_of(all.begin(), all.end(), [&](NodeId node) {
    if (frames_[node].kind != FrameKind::kObjectColon) return false;
    const Frame& object = frames_[frames_[node].parent];
    const std::uint32_t index = object_of(frames_[node].parent);
    const ObjectRule& rule = program_->objects[index];
    const std::span<const std::uint32_t> seen = key_sets_[object.a];
    std::vector<std::uint32_t> past(seen.begin(), seen.end());
    for (const std::string_view text : smaller) {
      const std::uint32_t label = rule.keys.match(text);
      const std::uint32_t key = label == 0 ? kNone : rule.members[label - 1].key;
      if (key == kNone) continue;
      if (std::find(rule.required.begin(), rule.required.end(), key) != rule.required.end()) return true;
      past[key >> 5] |= 1u << (key & 31);
    }
    if (!rule.dependencies.empty()) return false;
    const std::uint32_t others = object.c == kNone ? 0 : lists_[object.c].length;
    const ObjectView view = object_guide(index).view(past, object.b, others);
    return !view.may_close && !view.more();
  });
}

NodeId StateSpace::Machine::loosened(NodeId leaf) {
  std::vector<Frame> above;
  NodeId stack = leaf;
  const auto runs_out = [this](NodeId array) {
    const Frame& frame = frames_[array];
    const std::uint64_t before = frame.c == kNone ? 0 : lists_[frame.c].length;
    return (frame.tracked & kLoose) != 0 || least_texts(array_of(array)) < before + distance_ + 2;
  };
  for (; stack != kNone && (frames_[stack].tracked & kTracked) != 0; stack = frames_[stack].parent) {
    above.push_back(frames_[stack]);
    if (frames_[stack].kind == FrameKind::kUniqueItem && runs_out(frames_[stack].parent)) return kNone;
  }
  above.push_back(frames_[stack]);
  stack = above.back().parent;
  for (std::size_t i = above.size(); i-- > 0;) {
    Frame frame = above[i];
    frame.parent = stack;
    frame.tracked = kLoose;
    if (frame.kind == FrameKind::kUniqueItem) {
      frame.a = kNoText;
      frame.b = kNone;
    }
    if (i > 0 && above[i - 1].kind == FrameKind::kUniqueItem) frame.c = kNone;
    stack = frames_.intern(frame);
  }
  return stack;
}

StateSpace::Machine::AlikeItems StateSpace::Machine::alike_items(NodeId leaf) {
  AlikeItems alike;
  for (NodeId node = leaf; node != kNone && (frames_[node].tracked & kTracked) != 0;
       node = frames_[node].parent) {
    const Frame unique = frames_[node];
    if (unique.kind != FrameKind::kUniqueItem) continue;
    if (!rule_of_item(unique).containers) {
      alike.texts = texts_behind(frames_[unique.parent].c, unique.a);  // no item is within a scalar
    } else if (unique.b != kNone) {
      for (ValueCursor& each : cursors(unique.b, unique.a)) alike.values.push_back(std::move(each));
    }
  }
  return alike;
}

// How many different items the array can have, at least: kUnbounded where there is no end of them.
std::uint32_t StateSpace::Machine::least_texts(std::uint32_t array) {
  const ArrayRule& rule = program_->arrays[array];
  if (rule.containers || rule.least_values > 0) return rule.least_values;
  if (least_texts_[array] != kNone) return least_texts_[array];
  std::vector<Item> items = rule.prefix;
  items.push_back(rule.rest);
  std::uint32_t least = kUnbounded - 1;
  for (const Item& each : items) {
    for (const Pc value : {each.value, each.counted}) {
      if (value != kNone) least = std::min(least, count_texts_of(value));
    }
  }
  return least_texts_[array] = least;
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
    if (frame.kind == FrameKind::kUniqueItem) {
      frame.a = extend(frame.a, byte);
      if (frame.b != kNone) frame.b = still_alike(frame.b, frame.a);
    }
    stack = frames_.intern(frame);
  }
  return stack;
}

TextId StateSpace::Machine::normalised(TextId text) {
  const std::string spelled = text_behind(kNoText, text);
  if (spelled.empty() || (spelled[0] != '{' && spelled[0] != '[')) return text;
  TextId made = kNoText;
  for (const char c : ValueTree(spelled).normalised()) made = extend(made, static_cast<unsigned char>(c));
  return made;
}

const ValueTree& StateSpace::Machine::value_tree(TextId text) {
  std::unique_ptr<ValueTree>& tree = value_trees_[text];
  if (!tree) {
    tree = std::make_unique<ValueTree>(text_behind(kNoText, text));
    value_tree_bytes_ += tree->bytes();
  }
  return *tree;
}

std::vector<ValueCursor> StateSpace::Machine::cursors(std::uint32_t set, TextId text) {
  std::vector<ValueCursor> found;
  if (set == kNone) return found;
  const std::string front = text_behind(kNoText, text);
  for (const TextId each : text_sets_[set]) {
    found.emplace_back(value_tree(each));
    if (!found.back().step(std::string_view(front))) found.pop_back();
  }
  return found;
}

std::uint32_t StateSpace::Machine::set_of_list(std::uint32_t list) {
  if (list == kNone) return kNone;
  std::vector<TextId> set;
  for (; list != kNone; list = lists_[list].rest) set.push_back(lists_[list].text);
  std::sort(set.begin(), set.end());
  return text_sets_.intern(set);
}

// Those of `set` that something with `text` in front may be a spelling of.
std::uint32_t StateSpace::Machine::still_alike(std::uint32_t set, TextId text) {
  const std::string front = text_behind(kNoText, text);
  std::vector<TextId> left;
  for (const TextId each : text_sets_[set]) {
    if (ValueCursor(value_tree(each)).step(std::string_view(front))) left.push_back(each);
  }
  return left.empty() ? kNone : text_sets_.intern(left);
}

}  // namespace emberline::grammar
