// Whitespace that somebody wrote, whatever the layout.
#pragma once

#include <span>

#include "grammar/automaton/array_reader.h"
#include "grammar/automaton/closure.h"
#include "grammar/automaton/layout_text.h"
#include "grammar/automaton/object_reader.h"
#include "grammar/automaton/stacks.h"

namespace emberline::grammar {

class WrittenWhitespace {
 public:
  WrittenWhitespace(const Program& program, const LayoutText& layout, Stacks& stacks, Closure& closure,
                    ObjectReader& objects, ArrayReader& arrays);

  // Gives the closure what follows where whitespace was written at `nodes`. `broken`: over lines.
  void pass(std::span<const NodeId> nodes, bool broken);

 private:
  bool begins_value(const Frame& leaf) const;
  void pass(Frame leaf, bool broken);

  const Program& program_;
  const LayoutText& layout_;
  Stacks& stacks_;
  Closure& closure_;
  ObjectReader& objects_;
  ArrayReader& arrays_;
};

}  // namespace emberline::grammar
