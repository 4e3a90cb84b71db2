// How objects are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grammar/automaton/closure.h"
#include "grammar/automaton/guides.h"
#include "grammar/automaton/layout_text.h"
#include "grammar/automaton/object_guide.h"
#include "grammar/automaton/stacks.h"
#include "grammar/automaton/texts.h"
#include "grammar/regular/interned.h"

namespace emberline::grammar {

// `object`: a kInObject. What comes behind a step goes to the closure.
class ObjectReader {
 public:
  ObjectReader(const Program& program, const LayoutText& layout, Stacks& stacks, Texts& texts,
               Closure& closure);

  // The brace behind `leaf`, a kObjectOpen.
  void open(const Frame& leaf);
  // Any other leaf of an object.
  void step(const Frame& leaf, unsigned char byte);
  // The value of a key with `label`.
  void member_value(NodeId object, std::uint32_t label);
  // Behind a key with `label`. `text`: of an other key that has to differ from those before.
  void key_ended(NodeId object, std::uint32_t label, TextId text);

  std::uint32_t number(NodeId object) const { return rule_of(program_, stacks_[object]); }
  const ObjectRule& rule(NodeId object) const { return program_.objects[number(object)]; }
  ObjectGuide& guide(std::uint32_t number) { return guides_[number]; }
  const ObjectView& view(NodeId object);
  // A bit for each known key that came.
  std::span<const std::uint32_t> keys_seen(NodeId object) const { return key_sets_[stacks_[object].keys()]; }
  // Other keys that came and began with `text`: what came behind that, ascending.
  std::vector<std::string> other_keys_behind(NodeId object, TextId text) const {
    return texts_.all_behind(stacks_[object].other_keys(), text);
  }

  std::size_t bytes() const {
    return key_sets_.bytes() + views_.size() * 64 + guides_.bytes() + guards_bytes_;
  }
  // Forgets all objects. Their sets of keys are handed over; those that are needed are put in again.
  Interned<std::uint32_t> start_over();
  std::uint32_t put_keys(std::span<const std::uint32_t> keys) { return key_sets_.add(keys).first; }

 private:
  void read_key(NodeId object, std::uint32_t state, TextId text, unsigned char byte);
  bool key_is_live(NodeId object, const ObjectView& view, std::uint32_t state, TextId text);
  void close(NodeId object) { closure_.go_on(stacks_[object].where, stacks_[object].parent); }
  std::uint32_t keys_with(std::uint32_t keys, std::span<const std::uint32_t> more);

  const Program& program_;
  const LayoutText& layout_;
  Stacks& stacks_;
  Texts& texts_;
  Closure& closure_;
  Interned<std::uint32_t> key_sets_;
  Guides<ObjectGuide, ObjectRule> guides_;
  std::size_t guards_bytes_ = 0;
  std::unordered_map<NodeId, ObjectView> views_;
};

}  // namespace emberline::grammar
