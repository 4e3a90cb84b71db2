// How objects are read.
#include <algorithm>

#include "grammar/automaton/machine.h"
#include "grammar/automaton/other_text.h"

namespace emberline::grammar {

ObjectGuide& StateSpace::Machine::object_guide(std::uint32_t object) {
  std::unique_ptr<ObjectGuide>& guide = object_guides_[object];
  if (!guide) {
    guide = std::make_unique<ObjectGuide>(program_->objects[object]);
    guide_bytes_ += std::size_t{program_->objects[object].keys.states()};
  }
  return *guide;
}

const ObjectView& StateSpace::Machine::view_of_object(NodeId object) {
  const auto found = object_views_.find(object);
  if (found != object_views_.end()) return found->second;
  const Frame& frame = frames_[object];
  ObjectGuide& guide = object_guide(object_of(object));
  const std::size_t before = guide.bytes();
  const std::uint32_t others = frame.c == kNone ? 0 : lists_[frame.c].length;
  const ObjectView view = guide.view(key_sets_[frame.a], frame.b, others);
  guide_bytes_ += guide.bytes() - before;
  return object_views_.emplace(object, view).first->second;
}

void StateSpace::Machine::step_object(const Frame& leaf, unsigned char byte) {
  const NodeId object = leaf.parent;
  if (leaf.kind == FrameKind::kKey) {
    read_key(object, leaf.a, leaf.b, byte);
    return;
  }
  const ObjectView view = view_of_object(object);
  Frame next = leaf;
  ++next.a;
  if (free() && is_space(byte)) {
    if (leaf.a >= kMostSpaces) return;
    const bool value = leaf.kind == FrameKind::kObjectValue;
    if (!value || next.a < kMostSpaces) keep(next);
    if (value) member_value(object, leaf.b);
    return;
  }
  // Inside the layout's whitespace, or at its beginning.
  if (const std::optional<unsigned char> space = layout_byte(leaf, leaf.a)) {
    if (byte == *space) {
      const bool closes = leaf.kind == FrameKind::kObjectNext;
      if (leaf.kind == FrameKind::kObjectValue) {
        if (!layout_byte(leaf, next.a)) {
          member_value(object, leaf.b);
        } else {
          keep(next);
        }
      } else if (closes ? view.may_close : view.more()) {
        keep(next);
      }
      return;
    }
    // What stands before whitespace that is not written then.
    if (leaf.a > 0) return;
    if (leaf.kind == FrameKind::kObjectFirst && byte == '}' && view.may_close) close_container(object);
    if (leaf.kind == FrameKind::kObjectNext && byte == ',' && view.more())
      keep(leaf_on(object, FrameKind::kObjectKey, leaf.where));
    return;
  }
  const bool whole = !indented() || leaf.a == 0 || leaf.a == kPast;  // no whitespace decides what comes
  switch (leaf.kind) {
    case FrameKind::kObjectFirst:
      if (byte == '}' && view.may_close && whole) {
        close_container(object);
      } else {
        read_key(object, 0, kNoText, byte);
      }
      return;
    case FrameKind::kObjectKey: read_key(object, 0, kNoText, byte); return;
    case FrameKind::kObjectColon: {
      if (byte != ':') return;
      Frame value = leaf_on(object, FrameKind::kObjectValue, leaf.where);
      value.b = leaf.b;
      if (free() || layout_byte(value, 0)) keep(value);
      if (!indented()) member_value(object, leaf.b);
      return;
    }
    case FrameKind::kObjectNext:
      if (byte == '}' && view.may_close) close_container(object);
      if (byte == ',' && view.more() && whole) keep(leaf_on(object, FrameKind::kObjectKey, leaf.where));
      return;
    default: return;
  }
}

// Behind the colon of a key with `label`.
void StateSpace::Machine::member_value(NodeId object, std::uint32_t label) {
  const Member& member = program_->objects[object_of(object)].members[label - 1];
  go_on(member.value, object);
  for (const MarkedValue& each : member.marked) {
    Frame frame = frames_[object];
    const std::span<const std::uint32_t> seen = key_sets_[frame.a];
    std::vector<std::uint32_t> keys(seen.begin(), seen.end());
    for (const std::uint32_t mark : each.marks) keys[mark >> 5] |= 1u << (mark & 31);
    frame.a = key_sets_.intern(keys);
    if (frame.a != frames_[object].a) go_on(each.value, frames_.intern(frame));
  }
}

void StateSpace::Machine::read_key(NodeId object, std::uint32_t state, TextId text, unsigned char byte) {
  const ObjectRule& rule = program_->objects[object_of(object)];
  if (rule.keys.empty()) return;
  const std::uint32_t next = rule.keys.step(state, byte);
  if (next == kNone) return;
  const ObjectView view = view_of_object(object);
  const TextId longer = rule.distinct_others && view.others ? extend(text, byte) : kNoText;
  if (!key_is_live(object, view, next, longer)) return;
  ObjectGuide& guide = object_guide(object_of(object));
  if ((view.known != kNone && guide.guard(view.known).goes_on(next)) ||
      (view.others && guide.others_guard().goes_on(next))) {
    Frame leaf = leaf_on(object, FrameKind::kKey, frames_[object].where);
    leaf.a = next;
    leaf.b = longer;
    keep(leaf);
  }
  const std::uint32_t label = rule.keys.label[next];
  if (label == 0) return;
  if (view.known != kNone && guide.guard(view.known).allows(label)) {
    key_ended(object, label, kNoText);
  } else if (view.others && guide.others_guard().allows(label) &&
             !(rule.distinct_others && list_holds(frames_[object].c, longer))) {
    key_ended(object, label, longer);
  }
}

// Whether some key that may come begins with what led to `state`.
bool StateSpace::Machine::key_is_live(NodeId object, const ObjectView& view, std::uint32_t state,
                                      TextId text) {
  ObjectGuide& guide = object_guide(object_of(object));
  if (view.known != kNone && guide.guard(view.known).live(state)) return true;
  KeyGuard& others = guide.others_guard();
  if (!view.others || !others.live(state)) return false;
  if (text == kNoText || frames_[object].c == kNone) return true;
  const std::vector<std::string> seen = texts_behind(frames_[object].c, text);
  if (seen.empty()) return true;
  const Dfa& keys = program_->objects[object_of(object)].keys;
  return other_text_exists(
      state, seen,
      [&](std::uint32_t each, unsigned char byte) {
        const std::uint32_t next = keys.step(each, byte);
        return others.live(next) ? next : kNone;
      },
      [&](std::uint32_t each) { return others.allows(keys.label[each]); });
}

void StateSpace::Machine::key_ended(NodeId object, std::uint32_t label, TextId text) {
  Frame frame = frames_[object];
  const ObjectRule& rule = program_->objects[object_of(object)];
  const std::uint32_t key = rule.members[label - 1].key;
  if (key != kNone) {
    const std::span<const std::uint32_t> seen = key_sets_[frame.a];
    std::vector<std::uint32_t> keys(seen.begin(), seen.end());
    keys[key >> 5] |= 1u << (key & 31);
    frame.a = key_sets_.intern(keys);
  } else if (text != kNoText) {
    frame.c = lists_.intern({frame.c, text, frame.c == kNone ? 1 : lists_[frame.c].length + 1});
  }
  frame.b = object_guide(object_of(object)).members_behind(frame.b);
  Frame colon = leaf_on(frames_.intern(frame), FrameKind::kObjectColon, frame.where);
  colon.b = label;
  keep(colon);
}

}  // namespace emberline::grammar
