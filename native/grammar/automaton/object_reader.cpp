#include "grammar/automaton/object_reader.h"

#include <optional>

#include "grammar/automaton/other_text.h"

namespace emberline::grammar {

ObjectReader::ObjectReader(const Program& program, const LayoutText& layout, Stacks& stacks, Texts& texts,
                           Closure& closure)
    : program_(program),
      layout_(layout),
      stacks_(stacks),
      texts_(texts),
      closure_(closure),
      guides_(program.objects) {}

Interned<std::uint32_t> ObjectReader::start_over() {
  guides_.clear();
  guards_bytes_ = 0;
  views_ = {};
  return std::exchange(key_sets_, {});
}

const ObjectView& ObjectReader::view(NodeId object) {
  const auto found = views_.find(object);
  if (found != views_.end()) return found->second;
  ObjectGuide& guide = guides_[number(object)];
  const Frame& frame = stacks_[object];
  const std::size_t before = guide.bytes();
  const ObjectView view = guide.view(keys_seen(object), frame.members(), texts_.length(frame.other_keys()));
  guards_bytes_ += guide.bytes() - before;
  return views_.emplace(object, view).first->second;
}

std::uint32_t ObjectReader::keys_with(std::uint32_t keys, std::span<const std::uint32_t> more) {
  std::vector<std::uint32_t> all(key_sets_[keys].begin(), key_sets_[keys].end());
  for (const std::uint32_t key : more) all[key >> 5] |= 1u << (key & 31);
  return key_sets_.add(all).first;
}

void ObjectReader::open(const Frame& leaf) {
  Frame object = stacks_.open_on(leaf.parent, FrameKind::kInObject, leaf.where);
  ++object.level;
  const std::uint32_t words = guides_[rule_of(program_, leaf)].key_words();
  object.keys() = key_sets_.add(std::vector<std::uint32_t>(words, 0)).first;
  object.other_keys() = kNone;
  const NodeId in = stacks_.intern(object);
  const ObjectView& now = view(in);
  if (now.may_close || now.more()) closure_.keep(stacks_.leaf_on(in, FrameKind::kObjectFirst, leaf.where));
}

void ObjectReader::step(const Frame& leaf, unsigned char byte) {
  const NodeId object = leaf.parent;
  if (leaf.kind == FrameKind::kKey) {
    read_key(object, leaf.state(), leaf.text(), byte);
    return;
  }
  const ObjectView now = view(object);
  Frame next = leaf;
  ++next.spaces();
  if (layout_.free() && is_space(byte)) {
    if (leaf.spaces() >= kMostSpaces) return;
    const bool value = leaf.kind == FrameKind::kObjectValue;
    if (!value || next.spaces() < kMostSpaces) closure_.keep(next);
    if (value) member_value(object, leaf.label());
    return;
  }
  // Inside the layout's whitespace, or at its beginning.
  if (const std::optional<unsigned char> space = layout_.byte(leaf, leaf.spaces())) {
    if (byte == *space) {
      const bool closes = leaf.kind == FrameKind::kObjectNext;
      if (leaf.kind == FrameKind::kObjectValue) {
        if (!layout_.byte(leaf, next.spaces())) {
          member_value(object, leaf.label());
        } else {
          closure_.keep(next);
        }
      } else if (closes ? now.may_close : now.more()) {
        closure_.keep(next);
      }
      return;
    }
    // What stands before whitespace that is not written then.
    if (leaf.spaces() > 0) return;
    if (leaf.kind == FrameKind::kObjectFirst && byte == '}' && now.may_close) close(object);
    if (leaf.kind == FrameKind::kObjectNext && byte == ',' && now.more())
      closure_.keep(stacks_.leaf_on(object, FrameKind::kObjectKey, leaf.where));
    return;
  }
  switch (leaf.kind) {
    case FrameKind::kObjectFirst:
      if (byte == '}' && now.may_close && layout_.undecided(leaf)) {
        close(object);
      } else {
        read_key(object, 0, kNoText, byte);
      }
      return;
    case FrameKind::kObjectKey: read_key(object, 0, kNoText, byte); return;
    case FrameKind::kObjectColon: {
      if (byte != ':') return;
      Frame value = stacks_.leaf_on(object, FrameKind::kObjectValue, leaf.where);
      value.label() = leaf.label();
      if (layout_.free() || layout_.byte(value, 0)) closure_.keep(value);
      if (!layout_.indented()) member_value(object, leaf.label());
      return;
    }
    case FrameKind::kObjectNext:
      if (byte == '}' && now.may_close) close(object);
      if (byte == ',' && now.more() && layout_.undecided(leaf))
        closure_.keep(stacks_.leaf_on(object, FrameKind::kObjectKey, leaf.where));
      return;
    default: return;
  }
}

void ObjectReader::member_value(NodeId object, std::uint32_t label) {
  const Member& member = rule(object).members[label - 1];
  closure_.go_on(member.value, object);
  for (const MarkedValue& each : member.marked) {
    Frame frame = stacks_[object];
    frame.keys() = keys_with(frame.keys(), each.marks);
    if (frame.keys() != stacks_[object].keys()) closure_.go_on(each.value, stacks_.intern(frame));
  }
}

void ObjectReader::read_key(NodeId object, std::uint32_t state, TextId text, unsigned char byte) {
  const ObjectRule& of = rule(object);
  if (of.keys.empty()) return;
  const std::uint32_t next = of.keys.step(state, byte);
  if (next == kNone) return;
  const ObjectView now = view(object);
  const TextId longer = of.distinct_others && now.others ? texts_.extend(text, byte) : kNoText;
  if (!key_is_live(object, now, next, longer)) return;
  ObjectGuide& guide = guides_[number(object)];
  if ((now.known != kNone && guide.guard(now.known).goes_on(next)) ||
      (now.others && guide.others_guard().goes_on(next))) {
    Frame leaf = stacks_.leaf_on(object, FrameKind::kKey, stacks_[object].where);
    leaf.state() = next;
    leaf.text() = longer;
    closure_.keep(leaf);
  }
  const std::uint32_t label = of.keys.label[next];
  if (label == 0) return;
  if (now.known != kNone && guide.guard(now.known).allows(label)) {
    key_ended(object, label, kNoText);
  } else if (now.others && guide.others_guard().allows(label) &&
             !(of.distinct_others && texts_.holds(stacks_[object].other_keys(), longer))) {
    key_ended(object, label, longer);
  }
}

// Whether some key that may come begins with what led to `state`.
bool ObjectReader::key_is_live(NodeId object, const ObjectView& view, std::uint32_t state, TextId text) {
  ObjectGuide& guide = guides_[number(object)];
  if (view.known != kNone && guide.guard(view.known).live(state)) return true;
  KeyGuard& others = guide.others_guard();
  if (!view.others || !others.live(state)) return false;
  if (text == kNoText || stacks_[object].other_keys() == kNone) return true;
  const std::vector<std::string> seen = other_keys_behind(object, text);
  if (seen.empty()) return true;
  const Dfa& keys = rule(object).keys;
  return other_text_exists(
      state, seen,
      [&](std::uint32_t each, unsigned char byte) {
        const std::uint32_t next = keys.step(each, byte);
        return others.live(next) ? next : kNone;
      },
      [&](std::uint32_t each) { return others.allows(keys.label[each]); });
}

void ObjectReader::key_ended(NodeId object, std::uint32_t label, TextId text) {
  Frame frame = stacks_[object];
  const std::uint32_t key = rule(object).members[label - 1].key;
  if (key != kNone) {
    frame.keys() = keys_with(frame.keys(), {&key, 1});
  } else if (text != kNoText) {
    frame.other_keys() = texts_.appended(frame.other_keys(), text);
  }
  frame.members() = guides_[number(object)].members_behind(frame.members());
  Frame colon = stacks_.leaf_on(stacks_.intern(frame), FrameKind::kObjectColon, frame.where);
  colon.label() = label;
  closure_.keep(colon);
}

}  // namespace emberline::grammar
