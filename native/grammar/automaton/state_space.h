// Runs a program over bytes: the states that are reached in it, each made when it is first seen.
//
// A configuration is a stack of frames; a state is a set of configurations, one nearly always. Both are
// interned: a state is a number, and to go back to it costs nothing. Steps are remembered.
//
// Liveness: from every state but kDead some accepted text can still be reached (while the stack is lower than
// its bound).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "grammar/automaton/array_reader.h"
#include "grammar/automaton/closure.h"
#include "grammar/automaton/distant_states.h"
#include "grammar/automaton/layout_text.h"
#include "grammar/automaton/limits.h"
#include "grammar/automaton/object_reader.h"
#include "grammar/automaton/stacks.h"
#include "grammar/automaton/state_table.h"
#include "grammar/automaton/texts.h"
#include "grammar/automaton/unique_items.h"
#include "grammar/program.h"

namespace emberline::grammar {

// Single-threaded: one for each text that is followed.
class StateSpace {
 public:
  explicit StateSpace(std::shared_ptr<const Program> program, const StateBounds& bounds = {});
  StateSpace(const StateSpace&) = delete;
  StateSpace& operator=(const StateSpace&) = delete;

  const Program& program() const { return *program_; }

  StateId start();
  // kDead where the byte is not allowed, where `state` is kDead, and where a bound is hit.
  StateId step(StateId state, unsigned char byte) {
    if (state == kDead) return kDead;
    const StateId known = states_.step(state, byte);
    return known != kNotTried ? known : first_step(state, byte);
  }
  StateId step(StateId state, std::string_view bytes);
  // The text so far is accepted.
  bool may_end(StateId state) const { return state != kDead && states_.ends(state); }
  // Some byte or token is allowed.
  bool may_go_on(StateId state) const { return state != kDead && !nodes(state).empty(); }

  // Text that somebody wrote, all of it or a piece: in JSON any whitespace, or none, between tokens, whatever
  // the layout. Where the text ends inside whitespace, the state goes on with the rest of the layout's.
  // Starts over where a long text needs the room: of all states the one behind the text is left.
  StateId replay(StateId state, std::string_view text);

  // GRAMMAR_TOO_LARGE once a bound was hit; steps that are not remembered are kDead from there on, until
  // start_over().
  const Status& status() const { return limits_.status; }

  // True where little room is left: the moment, between two tokens, for start_over(). Half of the room that
  // the last one left is used up first, so that what is kept is not moved at every token.
  bool crowded() const { return bytes() > (kept_bytes_ + limits_.bounds.bytes) / 2; }
  // Forgets every state but `kept`, which are renamed in place. kDead stays what it is.
  void start_over(std::span<StateId> kept);
  // Grows with every start_over(): states of other epochs mean nothing any more.
  std::uint64_t epoch() const { return epoch_; }
  std::size_t bytes() const;

  // For those who know a vocabulary. Program::token_sets that may be read next, each once.
  std::span<const std::uint32_t> token_sets(StateId state);
  // The state behind a token of every set for which `holds`, whatever its bytes.
  StateId step_sets(StateId state, const std::function<bool(std::uint32_t set)>& holds);
  // Both at once: what either may go on with.
  StateId united(StateId a, StateId b);
  // The byte that comes next, where the text may not end and only one may come.
  std::optional<unsigned char> only_byte(StateId state);

  // For those who look into states: the leaves of one, ascending.
  std::span<const NodeId> nodes(StateId state) const { return states_.nodes(state); }
  // The state of these alone.
  StateId of_nodes(std::span<const NodeId> nodes);
  // The state that reads on at `pc` on `stack`.
  StateId at(Pc pc, NodeId stack);
  // Where the terminal at `node` ends.
  StateId behind_terminal(NodeId node) { return at(stacks_[node].where, stacks_[node].parent); }
  // Where a key with this label ends in `object`. An other key is not remembered, nor are those before it.
  StateId behind_key(NodeId object, std::uint32_t label);

  const Stacks& stacks() const { return stacks_; }
  const Texts& texts() const { return texts_; }
  TerminalGuide& terminal_guide(std::uint32_t terminal) { return terminals_[terminal]; }
  ObjectReader& objects() { return objects_; }
  UniqueItems& unique_items() { return unique_items_; }
  DistantStates& distant_states() { return distant_states_; }
  std::uint32_t distance() const { return distant_states_.distance(); }
  Limits& limits() { return limits_; }

 private:
  StateId first_step(StateId state, unsigned char byte);
  void step_leaf(NodeId node, unsigned char byte);
  StateId finish();
  // Gives the closure what follows where whitespace was written at `nodes`. `broken`: over lines.
  void pass_whitespace(std::span<const NodeId> nodes, bool broken);
  void pass_whitespace(Frame leaf, bool broken);

  std::shared_ptr<const Program> program_;
  Limits limits_;
  std::uint64_t epoch_ = 0;
  std::size_t kept_bytes_ = 0;  // by the last start_over()
  StateId start_ = kNotTried;

  Stacks stacks_;
  Texts texts_;
  StateTable states_;
  Guides<TerminalGuide, Terminal> terminals_;
  LayoutText layout_;
  Closure closure_;
  UniqueItems unique_items_;
  ObjectReader objects_;
  ArrayReader arrays_;
  DistantStates distant_states_;
  std::vector<std::uint32_t> sets_;
};

}  // namespace emberline::grammar
