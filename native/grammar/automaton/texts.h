// Texts that have to differ (other keys of an object, items of an array), interned: each is another text with
// a byte behind it. And lists and sets of them.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "grammar/automaton/frame.h"
#include "grammar/automaton/interner.h"
#include "grammar/regular/interned.h"

namespace emberline::grammar {

class Texts {
 public:
  TextId extend(TextId text, unsigned char byte);
  TextId extend(TextId text, std::string_view bytes);
  // What comes in `text` behind `front`, with which it begins.
  std::string behind(TextId front, TextId text) const;
  std::string spelled(TextId text) const { return behind(kNoText, text); }

  TextListId appended(TextListId list, TextId text);
  std::uint32_t length(TextListId list) const { return list == kNone ? 0 : lists_[list].length; }
  bool holds(TextListId list, TextId text) const;
  // Whether one of them begins with `byte`.
  bool begins(TextListId list, unsigned char byte) const { return list != kNone && first_bytes_[list][byte]; }
  // Of those that begin with `front`: whether there are any, and what comes behind it, ascending.
  bool any_behind(TextListId list, TextId front) const;
  std::vector<std::string> all_behind(TextListId list, TextId front) const;

  // kNone: the empty one.
  TextSetId set_of(std::vector<TextId> texts);
  TextSetId set_of_list(TextListId list);
  std::span<const TextId> in_set(TextSetId set) const;

  std::size_t bytes() const {
    return texts_.bytes() + lists_.bytes() + sets_.bytes() +
           first_bytes_.capacity() * sizeof(std::bitset<256>);
  }

 private:
  friend class TextMove;
  struct Link {
    TextId front = kNoText;
    std::uint32_t byte = 0;
    std::uint32_t length = 0;  // of the whole
  };
  struct ListLink {
    TextListId rest = kNone;
    TextId text = kNoText;
    std::uint32_t length = 0;
  };

  TextListId add(const ListLink& link);
  bool begins_with(TextId text, TextId front) const;

  Interner<Link> texts_;
  Interner<ListLink> lists_;
  std::vector<std::bitset<256>> first_bytes_;  // [lists]: of their texts
  Interned<std::uint32_t> sets_;
};

// Moves over what is still needed of texts that are forgotten.
class TextMove {
 public:
  // Empties `texts`.
  explicit TextMove(Texts& texts);
  TextId text(TextId old);
  TextListId list(TextListId old);
  TextSetId set(TextSetId old);

 private:
  const Texts from_;
  Texts& to_;
  std::unordered_map<std::uint32_t, std::uint32_t> texts_, lists_;
};

}  // namespace emberline::grammar
