#include "grammar/automaton/texts.h"

#include <algorithm>
#include <utility>

namespace emberline::grammar {

TextId Texts::extend(TextId text, unsigned char byte) {
  return texts_.intern({text, byte, text == kNoText ? 1 : texts_[text].length + 1});
}

TextId Texts::extend(TextId text, std::string_view bytes) {
  for (const char c : bytes) text = extend(text, static_cast<unsigned char>(c));
  return text;
}

bool Texts::begins_with(TextId text, TextId front) const {
  if (front == kNoText) return true;
  while (text != kNoText && texts_[text].length > texts_[front].length) text = texts_[text].front;
  return text == front;
}

std::string Texts::behind(TextId front, TextId text) const {
  std::string behind;
  for (; text != front; text = texts_[text].front) behind.push_back(static_cast<char>(texts_[text].byte));
  std::reverse(behind.begin(), behind.end());
  return behind;
}

TextListId Texts::appended(TextListId list, TextId text) {
  return add({list, text, length(list) + 1});
}

TextListId Texts::add(const ListLink& link) {
  const TextListId list = lists_.intern(link);
  if (list < first_bytes_.size()) return list;
  first_bytes_.push_back(link.rest == kNone ? std::bitset<256>() : first_bytes_[link.rest]);
  TextId first = link.text;
  while (first != kNoText && texts_[first].length > 1) first = texts_[first].front;
  if (first != kNoText) first_bytes_.back().set(texts_[first].byte);
  return list;
}

bool Texts::holds(TextListId list, TextId text) const {
  while (list != kNone && lists_[list].text != text) list = lists_[list].rest;
  return list != kNone;
}

bool Texts::any_behind(TextListId list, TextId front) const {
  while (list != kNone && !begins_with(lists_[list].text, front)) list = lists_[list].rest;
  return list != kNone;
}

std::vector<std::string> Texts::all_behind(TextListId list, TextId front) const {
  std::vector<std::string> texts;
  for (; list != kNone; list = lists_[list].rest) {
    if (begins_with(lists_[list].text, front)) texts.push_back(behind(front, lists_[list].text));
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

TextSetId Texts::set_of(std::vector<TextId> texts) {
  std::sort(texts.begin(), texts.end());
  return texts.empty() ? kNone : sets_.add(texts).first;
}

TextSetId Texts::set_of_list(TextListId list) {
  std::vector<TextId> texts;
  for (; list != kNone; list = lists_[list].rest) texts.push_back(lists_[list].text);
  return set_of(std::move(texts));
}

std::span<const TextId> Texts::in_set(TextSetId set) const {
  return set == kNone ? std::span<const TextId>() : sets_[set];
}

TextMove::TextMove(Texts& texts) : from_(std::exchange(texts, {})), to_(texts) {}

TextId TextMove::text(TextId old) {
  return remade_once(
      old, texts_, [&](TextId each) { return from_.texts_[each].front; },
      [&](TextId each, TextId front) {
        Texts::Link link = from_.texts_[each];
        link.front = front;
        return to_.texts_.intern(link);
      });
}

TextListId TextMove::list(TextListId old) {
  return remade_once(
      old, lists_, [&](TextListId each) { return from_.lists_[each].rest; },
      [&](TextListId each, TextListId rest) {
        Texts::ListLink link = from_.lists_[each];
        link.rest = rest;
        link.text = text(link.text);
        return to_.add(link);
      });
}

TextSetId TextMove::set(TextSetId old) {
  std::vector<TextId> moved;
  for (const TextId each : from_.in_set(old)) moved.push_back(text(each));
  return to_.set_of(std::move(moved));
}

}  // namespace emberline::grammar
