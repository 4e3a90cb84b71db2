// How far the texts of a terminal are from their ends.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/automaton/far_count.h"
#include "grammar/program.h"

namespace emberline::grammar {

// Of one terminal of a program, which outlives this. Characters are counted at their first byte.
class TerminalGuide {
 public:
  explicit TerminalGuide(const Terminal& terminal);

  bool may_begin() const { return !terminal_->dfa.empty() && (!counted_ || fits(0, rest_[0])); }
  // Whether a text whose first bytes lead to `state`, with `characters` begun, may end; may go on.
  bool may_end(std::uint32_t state, std::uint32_t characters) const {
    if (terminal_->dfa.label[state] == 0) return false;
    return !counted_ || (terminal_->between[state] != 0 && characters != kFarBelow &&
                         characters >= terminal_->least_characters);
  }
  bool may_go_on(std::uint32_t state, std::uint32_t characters) const {
    return goes_on_[state] != 0 && (!counted_ || fits(characters, rest_behind_[state]));
  }
  // The state behind `byte`, or kNone.
  std::uint32_t step(std::uint32_t state, std::uint32_t& characters, unsigned char byte) const {
    const std::uint32_t next = terminal_->dfa.step(state, byte);
    if (!counted_ || next == kNone) return next;
    characters = behind(characters, terminal_->between[state]);
    return fits(characters, rest_[next]) ? next : kNone;
  }
  // The fewest characters that have to begin behind `state`.
  std::uint32_t rest(std::uint32_t state) const { return counted_ ? rest_[state] : 0; }
  // With `characters` begun: how many more there have to be before an end, and how many more there may be;
  // kUnbounded: more than anybody looks at.
  std::uint32_t least_more(std::uint32_t characters) const;
  std::uint32_t most_more(std::uint32_t characters) const;
  bool counted() const { return counted_; }
  // Whether texts without end go on from `state`. False where characters are counted, though there may be.
  bool endless(std::uint32_t state);
  std::size_t bytes() const { return goes_on_.size() * 13; }
  // Of the number of characters, for who looks only `distance` bytes ahead.
  CountBounds bounds(std::uint32_t distance) const;

 private:
  bool fits(std::uint32_t characters, std::uint32_t more) const;
  std::uint32_t behind(std::uint32_t characters, std::uint32_t more) const;

  const Terminal* terminal_;
  bool counted_;
  std::uint32_t longest_rest_ = 0;
  std::vector<std::uint8_t> goes_on_;       // [states]
  std::vector<std::uint32_t> rest_;         // [states], where counted
  std::vector<std::uint32_t> rest_behind_;  // [states]: with at least one byte more
  std::vector<std::uint8_t> endless_;       // [states], once it is asked
};

}  // namespace emberline::grammar
