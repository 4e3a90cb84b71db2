// Runs a program over bytes: the states that are reached in it, each made when it is first seen.
//
// A configuration is a stack of frames; a state is a set of configurations, one nearly always. Stacks are
// persistent and interned, and so are states: a state is a number, and to go back to it costs nothing. Steps
// are remembered.
//
// Liveness: from every state but kDead some accepted text can still be reached (while the stack is lower than
// its bound).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "base/status.h"
#include "grammar/program.h"

namespace emberline::grammar {

using StateId = std::uint32_t;
inline constexpr StateId kDead = kNone;

struct StateBounds {
  std::size_t configurations = 4096;  // of one state, and of what is gone through on the way to it
  std::size_t bytes = 48u << 20;      // of all stacks, states and remembered steps
  std::uint32_t depth = 512;          // of a stack: what needs a deeper one is not allowed
};

// Single-threaded: one for each text that is followed.
class StateSpace {
 public:
  explicit StateSpace(std::shared_ptr<const Program> program, const StateBounds& bounds = {});
  ~StateSpace();
  StateSpace(const StateSpace&) = delete;
  StateSpace& operator=(const StateSpace&) = delete;

  const Program& program() const;

  StateId start();
  // kDead where the byte is not allowed, where `state` is kDead, and where a bound is hit.
  StateId step(StateId state, unsigned char byte);
  StateId step(StateId state, std::string_view bytes);
  // The text so far is accepted.
  bool may_end(StateId state) const;
  // Some byte or token is allowed.
  bool may_go_on(StateId state) const;

  // Text that somebody wrote, all of it or a piece: in JSON any whitespace, or none, between tokens, whatever
  // the layout. Where the text ends inside whitespace, the state goes on with the rest of the layout's.
  // Starts over where a long text needs the room: of all states the one behind the text is left.
  StateId replay(StateId state, std::string_view text);

  // GRAMMAR_TOO_LARGE once a bound was hit; steps that are not remembered are kDead from there on, until
  // start_over().
  Status status() const;

  // True where little room is left: the moment, between two tokens, for start_over().
  bool crowded() const;
  // Forgets every state but `kept`, which are renamed in place. kDead stays what it is.
  void start_over(std::span<StateId> kept);
  // Grows with every start_over(): states of other epochs mean nothing any more.
  std::uint64_t epoch() const;
  std::size_t bytes() const;

  // For those who know a vocabulary. Program::token_sets that may be read next, each once.
  std::span<const std::uint32_t> token_sets(StateId state);
  // The state behind a token of every set for which `holds`, whatever its bytes.
  StateId step_sets(StateId state, const std::function<bool(std::uint32_t set)>& holds);
  // Both at once: what either may go on with.
  StateId united(StateId a, StateId b);

  class Machine;
  Machine& machine() { return *machine_; }

 private:
  std::unique_ptr<Machine> machine_;
};

}  // namespace emberline::grammar
