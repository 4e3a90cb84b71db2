// Items that have to differ from those before them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "grammar/automaton/stacks.h"
#include "grammar/automaton/state_table.h"
#include "grammar/automaton/texts.h"
#include "grammar/automaton/value_cursor.h"

namespace emberline::grammar {

class Closure;
class StateSpace;

// An array keeps the texts of its items, and an item that is under way is followed: it knows its text, and,
// of an object or an array, the items that it may still become equal to. As long as there are such, a step is
// only taken where a text leads on from it that is none of them.
class UniqueItems {
 public:
  UniqueItems(StateSpace& space, Stacks& stacks, Texts& texts, Closure& closure);

  // An item of `array`, of which nothing has come.
  NodeId item_of(NodeId array);
  // `stack` with `byte` behind the text of every item in it that is followed.
  NodeId grown(NodeId stack, unsigned char byte);
  // The array behind `item`, which is complete; kNone where it is equal to one before.
  NodeId array_with(const Frame& item);
  // `array` can have one more item, a `value`.
  bool another_exists(NodeId array, Pc value);
  // What the followed `leaf` reads can become an item that has not come yet, and so on for the items around.
  bool live(const Frame& leaf);

  // `leaf` of an item as if none had come before it; neither this one nor those behind it are remembered. The
  // same for items around that one. kNone where items might then run out, and inside a loosened array.
  NodeId loosened(NodeId leaf);
  // Earlier items that what `leaf` reads may still become equal to.
  struct Alike {
    std::vector<std::string> texts;   // of scalars: what comes behind the text so far, ascending
    std::vector<ValueCursor> values;  // behind the text so far
  };
  Alike alike(NodeId leaf);

  std::size_t bytes() const { return tree_bytes_; }
  // Forgets all items.
  void start_over();

 private:
  const ArrayRule& rule(const Frame& frame) const { return program_.arrays[rule_of(program_, frame)]; }
  bool some_alike(const Frame& item) const;
  bool begins_otherwise(StateId first, TextListId texts);
  bool another_behind(StateId first, const ArrayRule& rule, TextListId texts, TextSetId alike, TextId front);
  std::uint32_t least_texts(std::uint32_t array);
  TextId normalised(TextId text);
  std::vector<ValueCursor> cursors(TextSetId set, TextId front);
  const ValueTree& tree(TextId text);

  const Program& program_;
  StateSpace& space_;
  Stacks& stacks_;
  Texts& texts_;
  Closure& closure_;
  std::vector<std::uint32_t> least_texts_;  // [arrays]; kNone where not yet counted
  std::unordered_map<TextId, std::unique_ptr<ValueTree>> trees_;
  std::size_t tree_bytes_ = 0;
};

}  // namespace emberline::grammar
