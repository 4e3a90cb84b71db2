#include "grammar/automaton/terminal_guide.h"

#include <algorithm>
#include <utility>

#include "grammar/regular/dfa_rows.h"
#include "grammar/regular/length_range.h"

namespace emberline::grammar {

TerminalGuide::TerminalGuide(const Terminal& terminal) : terminal_(&terminal), counted_(terminal.counted()) {
  const Dfa& dfa = terminal.dfa;
  goes_on_.assign(dfa.states(), 0);
  for (std::uint32_t state = 0; state < dfa.states(); ++state) {
    const std::uint32_t* row = &dfa.next[std::size_t{state} * dfa.classes];
    goes_on_[state] = std::any_of(row, row + dfa.classes, [](std::uint32_t next) { return next != kNone; });
  }
  if (!counted_) return;
  const DfaRows rows(dfa);
  CharactersToEnd to_end = characters_to_end(dfa, predecessors_of(rows), terminal.between);
  rest_ = std::move(to_end.least);
  rest_behind_ = std::move(to_end.least_behind);
  for (const std::uint32_t rest : rest_) longest_rest_ = std::max(longest_rest_, rest);
}

bool TerminalGuide::endless(std::uint32_t state) {
  if (counted_) return false;
  if (endless_.empty()) {
    endless_.assign(terminal_->dfa.states(), 1);
    const DfaRows rows(terminal_->dfa);
    for (const std::uint32_t finite : finite_states(rows, predecessors_of(rows))) endless_[finite] = 0;
  }
  return endless_[state] != 0;
}

bool TerminalGuide::fits(std::uint32_t characters, std::uint32_t more) const {
  if (more == kUnbounded) return false;
  if (is_far(characters) || terminal_->most_characters == kUnbounded) return true;
  return std::uint64_t{characters} + more <= terminal_->most_characters;
}

std::uint32_t TerminalGuide::behind(std::uint32_t characters, std::uint32_t more) const {
  if (is_far(characters)) return characters;
  if (terminal_->most_characters != kUnbounded) return characters + more;
  return std::min(characters + more, terminal_->least_characters);
}

std::uint32_t TerminalGuide::least_more(std::uint32_t characters) const {
  if (!counted_ || characters == kFarAbove) return 0;
  if (characters == kFarBelow) return kUnbounded;
  return characters < terminal_->least_characters ? terminal_->least_characters - characters : 0;
}

std::uint32_t TerminalGuide::most_more(std::uint32_t characters) const {
  if (!counted_ || terminal_->most_characters == kUnbounded) return kUnbounded;
  if (is_far(characters)) return kUnbounded;
  return terminal_->most_characters - characters;
}

CountBounds TerminalGuide::bounds(std::uint32_t distance) const {
  // What has to come before the end of a text counts, too: it never is more than there are states.
  return {terminal_->least_characters, terminal_->most_characters, std::uint64_t{distance} + longest_rest_};
}

}  // namespace emberline::grammar
