#include "grammar/automaton/value_cursor.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "grammar/automaton/layout_text.h"

namespace emberline::grammar {

namespace {

constexpr std::string_view kSpaces = " \t\n\r";
constexpr std::string_view kEnds = ",:]} \t\n\r";  // of a scalar that is no string

void skip_spaces(std::string_view text, std::size_t& at) {
  while (at < text.size() && is_space(static_cast<unsigned char>(text[at]))) ++at;
}

std::string_view read_scalar(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  if (at < text.size() && text[at] == '"') {
    for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
    at = std::min(at + 1, text.size());
  } else {
    at = std::min(text.find_first_of(kEnds, at), text.size());
  }
  return text.substr(begin, at - begin);
}

}  // namespace

ValueTree::ValueTree(std::string_view text) {
  std::size_t at = 0;
  if (!text.empty() && (text[0] == '{' || text[0] == '[')) {
    read(text, at);
  } else {
    nodes_.emplace_back();
    nodes_[0].text = text;
  }
  bytes_ = nodes_.size() * (sizeof(Node) + 16) + text.size() * 2;
}

std::uint32_t ValueTree::read(std::string_view text, std::size_t& at) {
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  const char open = at < text.size() ? text[at] : '\0';
  if (open != '{' && open != '[') {
    nodes_[index].text = read_scalar(text, at);
    return index;
  }
  std::vector<std::string> keys;
  std::vector<std::uint32_t> children;
  ++at;
  for (skip_spaces(text, at); at < text.size() && text[at] != '}' && text[at] != ']'; skip_spaces(text, at)) {
    if (text[at] == ',') {
      ++at;
      skip_spaces(text, at);
    }
    if (open == '{') {
      keys.emplace_back(read_scalar(text, at));
      skip_spaces(text, at);
      ++at;  // the colon
      skip_spaces(text, at);
    }
    children.push_back(read(text, at));
  }
  ++at;
  if (open == '{') {
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    Node& node = nodes_[index];
    for (const std::uint32_t each : order) {
      node.keys.push_back(std::move(keys[each]));
      node.children.push_back(children[each]);
    }
  } else {
    nodes_[index].children = std::move(children);
  }
  nodes_[index].open = open;
  return index;
}

void ValueTree::write(std::uint32_t index, std::string& out) const {
  const Node& node = nodes_[index];
  if (node.open == 0) {
    out += node.text;
    return;
  }
  out += node.open;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    if (i > 0) out += ',';
    if (node.open == '{') out += node.keys[i] + ':';
    write(node.children[i], out);
  }
  out += node.open == '{' ? '}' : ']';
}

std::string ValueTree::normalised() const {
  std::string text;
  write(0, text);
  return text;
}

bool ValueCursor::at_end() const {
  if (!open_.empty()) return false;
  return place_ == Place::kEnd || (place_ == Place::kScalar && length_ == node(at_).text.size());
}

std::string_view ValueCursor::key() const {
  return std::string_view(node(open_.back().node).keys[open_.back().child]).substr(0, length_);
}

void ValueCursor::add_smaller_keys(std::vector<std::string_view>& keys) const {
  const Open& last = open_.back();
  for (std::uint32_t key = 0; key < last.child; ++key)
    if (used_[last.used + key] == 0) keys.emplace_back(node(last.node).keys[key]);
}

bool ValueCursor::in_text() const {
  if (place_ == Place::kKey) return true;
  return place_ == Place::kScalar && length_ < node(at_).text.size();
}

bool ValueCursor::step(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [this](char c) { return step(static_cast<unsigned char>(c)); });
}

bool ValueCursor::step(unsigned char byte) {
  if (place_ == Place::kScalar) {
    const std::string& text = node(at_).text;
    if (length_ < text.size()) return static_cast<unsigned char>(text[length_++]) == byte;
    if (open_.empty() || !ended()) return false;
  }
  if (place_ == Place::kKey) return step_key(byte);
  if (place_ == Place::kEnd) return false;
  if (!open_.empty() && is_space(byte)) return true;
  switch (place_) {
    case Place::kValue: return begin_value(byte);
    case Place::kFirst:
      if (byte == '}' || byte == ']') return close(byte);
      return begin_item(byte);
    case Place::kItem: return begin_item(byte);
    case Place::kColon: place_ = Place::kValue; return byte == ':';
    case Place::kNext:
      if (byte != ',') return close(byte);
      place_ = Place::kItem;
      return open_.back().left > 0;
    default: return false;
  }
}

// Behind a value.
bool ValueCursor::ended() {
  place_ = open_.empty() ? Place::kEnd : Place::kNext;
  return true;
}

bool ValueCursor::close(unsigned char byte) {
  const Open last = open_.back();
  if (last.left > 0 || byte != (node(last.node).open == '{' ? '}' : ']')) return false;
  used_.resize(last.used);
  open_.pop_back();
  return ended();
}

bool ValueCursor::begin_value(unsigned char byte) {
  const ValueTree::Node& value = node(at_);
  if (value.open == 0) {
    place_ = Place::kScalar;
    length_ = 1;
    return !value.text.empty() && static_cast<unsigned char>(value.text[0]) == byte;
  }
  if (static_cast<unsigned char>(value.open) != byte) return false;
  open_.push_back(
      {at_, 0, static_cast<std::uint32_t>(value.children.size()), static_cast<std::uint32_t>(used_.size())});
  if (value.open == '{') used_.resize(used_.size() + value.keys.size(), 0);
  place_ = Place::kFirst;
  return true;
}

bool ValueCursor::begin_item(unsigned char byte) {
  Open& last = open_.back();
  const ValueTree::Node& container = node(last.node);
  if (last.left == 0) return false;
  if (container.open == '{') {
    place_ = Place::kKey;
    length_ = 0;
    last.child = 0;
    return step_key(byte);
  }
  const auto size = static_cast<std::uint32_t>(container.children.size());
  last.child = size - last.left--;
  at_ = container.children[last.child];
  return begin_value(byte);
}

std::uint32_t ValueCursor::unused_key(const std::string& front) const {
  const Open& last = open_.back();
  const std::vector<std::string>& keys = node(last.node).keys;
  for (auto key = std::lower_bound(keys.begin(), keys.end(), front);
       key != keys.end() && key->compare(0, front.size(), front) == 0; ++key) {
    const auto index = static_cast<std::uint32_t>(key - keys.begin());
    if (used_[last.used + index] == 0) return index;
  }
  return kNoKey;
}

bool ValueCursor::step_key(unsigned char byte) {
  Open& last = open_.back();
  std::string front(key());
  front.push_back(static_cast<char>(byte));
  const std::uint32_t found = unused_key(front);
  if (found == kNoKey) return false;
  last.child = found;
  if (++length_ < node(last.node).keys[found].size()) return true;
  used_[last.used + found] = 1;
  --last.left;
  at_ = node(last.node).children[found];
  place_ = Place::kColon;
  return true;
}

void ValueCursor::add_next(std::bitset<256>& bytes) const {
  const auto add = [&bytes](char c) { bytes.set(static_cast<unsigned char>(c)); };
  const auto add_first = [&](std::uint32_t index) {
    const ValueTree::Node& value = node(index);
    if (value.open != 0) {
      add(value.open);
    } else if (!value.text.empty()) {
      add(value.text[0]);
    }
  };
  const auto add_keys = [&](const std::string& front) {
    const Open& last = open_.back();
    const std::vector<std::string>& keys = node(last.node).keys;
    for (auto key = std::lower_bound(keys.begin(), keys.end(), front);
         key != keys.end() && key->compare(0, front.size(), front) == 0; ++key) {
      if (used_[last.used + static_cast<std::size_t>(key - keys.begin())] == 0) add((*key)[front.size()]);
    }
  };
  const auto add_item = [&] {
    const Open& last = open_.back();
    const ValueTree::Node& container = node(last.node);
    if (last.left == 0) return;
    if (container.open == '{') {
      add_keys({});
    } else {
      add_first(container.children[container.children.size() - last.left]);
    }
  };
  const auto add_next_item = [&] {
    const Open& last = open_.back();
    add(last.left > 0 ? ',' : node(last.node).open == '{' ? '}' : ']');
  };
  if (!open_.empty() && !in_text())
    for (const char c : kSpaces) add(c);
  switch (place_) {
    case Place::kValue: add_first(at_); return;
    case Place::kScalar:
      if (length_ < node(at_).text.size()) {
        add(node(at_).text[length_]);
      } else if (!open_.empty()) {
        add_next_item();
      }
      return;
    case Place::kFirst:
      add_item();
      if (open_.back().left == 0) add_next_item();
      return;
    case Place::kItem: add_item(); return;
    case Place::kKey: add_keys(std::string(key())); return;
    case Place::kColon: add(':'); return;
    case Place::kNext: add_next_item(); return;
    case Place::kEnd: return;
  }
}

}  // namespace emberline::grammar
