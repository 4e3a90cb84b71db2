// Texts that have to differ: other keys of an object, items of an array.
#include <algorithm>

#include "grammar/automaton/machine.h"

namespace emberline::grammar {

TextId StateSpace::Machine::extend(TextId text, unsigned char byte) {
  return texts_.intern({text, byte, text == kNoText ? 1 : texts_[text].length + 1});
}

bool StateSpace::Machine::is_prefix(TextId front, TextId text) const {
  if (front == kNoText) return true;
  while (text != kNoText && texts_[text].length > texts_[front].length) text = texts_[text].front;
  return text == front;
}

std::string StateSpace::Machine::text_behind(TextId front, TextId text) const {
  std::string behind;
  for (; text != front; text = texts_[text].front) behind.push_back(static_cast<char>(texts_[text].byte));
  std::reverse(behind.begin(), behind.end());
  return behind;
}

std::vector<std::string> StateSpace::Machine::texts_behind(std::uint32_t list, TextId front) const {
  std::vector<std::string> texts;
  for (; list != kNone; list = lists_[list].rest) {
    if (is_prefix(front, lists_[list].text)) texts.push_back(text_behind(front, lists_[list].text));
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

bool StateSpace::Machine::list_holds(std::uint32_t list, TextId text) const {
  for (; list != kNone; list = lists_[list].rest) {
    if (lists_[list].text == text) return true;
  }
  return false;
}

}  // namespace emberline::grammar
