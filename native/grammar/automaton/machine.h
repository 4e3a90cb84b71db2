// The inside of StateSpace: goes through a program from one state to the next.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "grammar/automaton/array_guide.h"
#include "grammar/automaton/frame.h"
#include "grammar/automaton/interner.h"
#include "grammar/automaton/object_guide.h"
#include "grammar/automaton/position.h"
#include "grammar/automaton/state_space.h"
#include "grammar/automaton/terminal_guide.h"
#include "grammar/automaton/value_cursor.h"

namespace emberline::grammar {

inline constexpr std::uint32_t kMostSpaces = 64;  // bytes of whitespace at one place, in free layout
inline bool is_space(unsigned char byte) {
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

class StateSpace::Machine {
 public:
  Machine(std::shared_ptr<const Program> program, const StateBounds& bounds);

  const Program& program() const { return *program_; }
  StateId start();
  StateId step(StateId state, unsigned char byte) {
    if (state == kDead) return kDead;
    const std::uint32_t chunk = rows_[state][byte >> 6];
    if (chunk != kNone) {
      const StateId known = steps_[std::size_t{chunk} * 64 + (byte & 63)];
      if (known != kNotTried) return known;
    }
    return first_step(state, byte);
  }
  bool may_end(StateId state) const { return state != kDead && states_[state][0] != 0; }
  std::span<const NodeId> nodes(StateId state) const { return states_[state].subspan(1); }
  const Frame& frame(NodeId node) const { return frames_[node]; }

  // What comes behind one of them, apart from the rest of the state.
  StateId only(NodeId node);
  // Where the terminal on top of `node` ends.
  StateId behind_terminal(NodeId node);
  // Where a key with this label ends in `object`. An other key is not remembered, nor are those before it.
  StateId behind_key(NodeId object, std::uint32_t label);
  // `leaf` of an item that has to differ from those before it, as if none had come; neither this one nor
  // those behind it are remembered. The same for items around that one. kNone where items might then run out,
  // and inside a loosened array.
  NodeId loosened(NodeId leaf);
  // Earlier items that what `leaf` reads may still become equal to.
  struct AlikeItems {
    std::vector<std::string> texts;   // of scalars: what comes behind the text so far, ascending
    std::vector<ValueCursor> values;  // behind the text so far
    bool empty() const { return texts.empty() && values.empty(); }
  };
  AlikeItems alike_items(NodeId leaf);
  // The byte that comes next, where the text may not end and only one may come.
  std::optional<unsigned char> only_byte(StateId state);
  // The state of these alone, ascending.
  StateId of_nodes(std::span<const NodeId> nodes);
  StateId step_sets(StateId state, const std::function<bool(std::uint32_t set)>& holds);
  StateId united(StateId a, StateId b);
  std::span<const std::uint32_t> token_sets(StateId state);
  StateId replay(StateId state, std::string_view text);

  // The state in whose place another may stand for who looks only `distance` bytes ahead: every count that is
  // further from its bounds is replaced.
  StateId distant(StateId state) {
    const bool known = state < distant_.size() && distant_[state] != kNotTried;
    return known ? distant_[state] : first_distant(state);
  }
  // Before the first state is made.
  void set_distance(std::uint32_t bytes) { distance_ = bytes; }
  std::uint32_t distance() const { return distance_; }

  // A count of a distant state that was replaced: in the frame `node`, by what stands for those from `first`
  // up to `end`, which it does not reach.
  struct FarCount {
    NodeId node;
    std::uint32_t first, end;
  };
  std::vector<FarCount> far_counts(StateId state);
  // `state` with `values` in the place of its far counts.
  StateId with_counts(StateId state, std::span<const FarCount> counts, std::span<const std::uint32_t> values);
  Position position(StateId exact);
  StateId exact(const Position& position);

  TerminalGuide& terminal_guide(std::uint32_t terminal);
  ObjectGuide& object_guide(std::uint32_t object);
  ArrayGuide& array_guide(std::uint32_t array);
  std::uint32_t terminal_of(const Frame& frame) const { return program_->code[frame.where - 1].operand; }
  std::uint32_t object_of(NodeId object) const { return program_->code[frames_[object].where - 1].operand; }
  const ObjectView& view_of_object(NodeId object);
  // Other keys of `object` that began with `text`: what came behind that, ascending.
  std::vector<std::string> other_keys_behind(NodeId object, TextId text) const {
    return texts_behind(frames_[object].c, text);
  }

  const Status& status() const { return status_; }
  std::size_t bytes() const;
  bool crowded() const { return bytes() > bounds_.bytes / 2; }
  void start_over(std::span<StateId> kept);
  std::uint64_t epoch() const { return epoch_; }

 private:
  static constexpr StateId kNotTried = 0xFFFFFFFEu;
  struct Thread {
    Pc pc;
    NodeId stack;
    bool operator==(const Thread&) const = default;
  };

  // A state in the making.
  void begin();
  void go_on(Pc pc, NodeId stack);
  void close();  // runs every thread to where it reads a byte
  StateId finish();
  StateId intern_state(std::span<const std::uint32_t> words);
  void run(Thread thread);
  void returned_to(NodeId stack);
  void keep(const Frame& leaf);

  StateId first_step(StateId state, unsigned char byte);
  void remember(StateId state, unsigned char byte, StateId next);
  void step_leaf(NodeId node, unsigned char byte);
  void step_object(const Frame& leaf, unsigned char byte);
  void step_array(const Frame& leaf, unsigned char byte);

  Frame leaf_on(NodeId stack, FrameKind kind, Pc where) const;
  NodeId open(FrameKind kind, NodeId stack, Pc where, std::uint32_t a = 0, std::uint32_t b = 0,
              std::uint32_t c = kNone);
  bool too_deep(NodeId stack) const { return stack != kNone && frames_[stack].depth >= bounds_.depth; }

  void enter_terminal(const Frame& leaf);
  // Objects.
  void read_key(NodeId object, std::uint32_t state, TextId text, unsigned char byte);
  bool key_is_live(NodeId object, const ObjectView& view, std::uint32_t state, TextId text);
  void key_ended(NodeId object, std::uint32_t label, TextId text);
  void member_value(NodeId object, std::uint32_t label);
  void close_container(NodeId container);
  // Arrays.
  std::uint32_t array_of(NodeId array) const { return program_->code[frames_[array].where - 1].operand; }
  const ArrayView& view_of_array(NodeId array);
  void array_first(NodeId array, std::uint32_t spaces);
  void items(NodeId array);
  void item(NodeId array, Pc value, bool counted);
  NodeId with_broken(NodeId array, Broken broken);
  // Items that differ.
  const ArrayRule& rule_of_item(const Frame& unique) const {
    return program_->arrays[program_->code[unique.where - 1].operand];
  }
  bool other_item_exists(NodeId array, Pc value);
  bool other_value_exists(StateId first, std::vector<ValueCursor> alike);
  bool skips_required(StateId state, const std::vector<ValueCursor>& alike);
  std::uint32_t least_texts(std::uint32_t array);
  std::uint32_t count_texts_of(Pc value);
  bool item_is_live(const Frame& leaf);
  bool some_alike(const Frame& unique) const;
  NodeId grown(NodeId stack, unsigned char byte);
  TextId normalised(TextId text);
  const ValueTree& value_tree(TextId text);
  std::vector<ValueCursor> cursors(std::uint32_t set, TextId text);
  std::uint32_t set_of_list(std::uint32_t list);
  std::uint32_t still_alike(std::uint32_t set, TextId text);

  // Whitespace.
  bool free() const { return program_->layout.kind == LayoutKind::kFree; }
  bool indented() const { return program_->layout.kind == LayoutKind::kIndented; }
  // The whitespace of the layout that `leaf` reads: its byte at `at`, or none behind its end.
  std::optional<unsigned char> layout_byte(const Frame& leaf, std::uint32_t at) const;
  // Whether somebody may have written whitespace before what `leaf` reads.
  static bool has_gap(const Frame& leaf);
  // Whether `leaf` reads a JSON value of which nothing has come yet.
  bool begins_value(const Frame& leaf) const;
  StateId past_whitespace(StateId state, bool broken);
  void go_past(NodeId node, bool broken);

  StateId first_distant(StateId state);
  NodeId distant_node(NodeId node);
  // What `frame` counts; nullptr: nothing that has bounds, or nothing that may be far from them.
  static std::uint32_t* count_in(Frame& frame);
  CountBounds count_bounds(const Frame& frame);

  // Texts.
  TextId extend(TextId text, unsigned char byte);
  bool is_prefix(TextId front, TextId text) const;
  std::string text_behind(TextId front, TextId text) const;
  std::vector<std::string> texts_behind(std::uint32_t list, TextId front) const;  // sorted
  bool list_holds(std::uint32_t list, TextId text) const;

  void too_large(const char* what);

  std::shared_ptr<const Program> program_;
  StateBounds bounds_;
  Status status_;
  std::uint64_t epoch_ = 0;
  std::uint32_t distance_ = 512;

  Interner<Frame> frames_;
  Interner<TextLink> texts_;
  Interner<TextListLink> lists_;
  SequenceInterner key_sets_;
  SequenceInterner text_sets_;                      // of earlier items
  SequenceInterner states_;                         // each: 1 where it may end, and its nodes, ascending
  std::vector<std::array<std::uint32_t, 4>> rows_;  // [states]: of 64 bytes each, or kNone
  std::vector<StateId> steps_;                      // [chunks, 64]
  std::vector<StateId> distant_;                    // [states]: kNotTried where not yet known
  std::vector<NodeId> distant_nodes_;               // [frames]: the same
  StateId start_ = kNotTried;

  // Of rules, made when first needed; they outlive start_over().
  std::vector<std::unique_ptr<TerminalGuide>> terminal_guides_;
  std::vector<std::unique_ptr<ObjectGuide>> object_guides_;
  std::vector<std::unique_ptr<ArrayGuide>> array_guides_;
  std::vector<std::uint32_t> least_texts_;  // [arrays]; kNone where not yet counted
  std::size_t guide_bytes_ = 0;
  std::unordered_map<TextId, std::unique_ptr<ValueTree>> value_trees_;
  std::size_t value_tree_bytes_ = 0;
  // [frames], of objects and arrays.
  std::unordered_map<NodeId, ObjectView> object_views_;
  std::unordered_map<NodeId, ArrayView> array_views_;

  // A state in the making. Searches inside a step make states of their own, each with what is here set aside.
  struct Making {
    std::vector<Thread> work;
    std::vector<Thread> seen;
    std::unordered_set<std::uint64_t> many_seen;  // the same, where they are many
    std::vector<NodeId> leaves;
    bool ends = false;
  };
  Making making_;
  std::vector<std::uint32_t> sets_;
};

}  // namespace emberline::grammar
