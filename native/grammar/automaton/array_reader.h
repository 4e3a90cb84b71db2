// How arrays are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "grammar/automaton/array_guide.h"
#include "grammar/automaton/closure.h"
#include "grammar/automaton/guides.h"
#include "grammar/automaton/layout_text.h"
#include "grammar/automaton/stacks.h"
#include "grammar/automaton/unique_items.h"

namespace emberline::grammar {

// `array`: a kInArray. What comes behind a step goes to the closure.
class ArrayReader {
 public:
  ArrayReader(const Program& program, const LayoutText& layout, Stacks& stacks, UniqueItems& unique_items,
              Closure& closure);

  // The bracket behind `leaf`, a kArrayOpen.
  void open(const Frame& leaf);
  // Any other leaf of an array.
  void step(const Frame& leaf, unsigned char byte);
  // Behind the bracket and `spaces` bytes of free layout's whitespace.
  void first(NodeId array, std::uint32_t spaces);
  // The next item.
  void items(NodeId array);
  // `array`, once it shows how it is written.
  NodeId with_broken(NodeId array, Broken broken);

  ArrayGuide& guide(std::uint32_t number) { return guides_[number]; }
  const ArrayView& view(NodeId array);

  std::size_t bytes() const { return views_.size() * 64; }
  // Forgets all arrays.
  void start_over() { views_ = {}; }

 private:
  const ArrayRule& rule(NodeId array) const { return program_.arrays[rule_of(program_, stacks_[array])]; }
  void item(NodeId array, Pc value, bool counted);
  void comma(NodeId array);
  void close(NodeId array) { closure_.go_on(stacks_[array].where, stacks_[array].parent); }

  const Program& program_;
  const LayoutText& layout_;
  Stacks& stacks_;
  UniqueItems& unique_items_;
  Closure& closure_;
  Guides<ArrayGuide, ArrayRule> guides_;
  std::unordered_map<NodeId, ArrayView> views_;
};

}  // namespace emberline::grammar
