#include "grammar/regular/length_range.h"

#include <algorithm>
#include <cstddef>
#include <deque>

#include "base/utf8.h"

namespace emberline::grammar {

std::vector<std::uint8_t> between_characters(const Dfa& dfa) {
  // A class of both kinds of bytes has no edges, in an automaton of valid texts.
  std::vector<std::uint8_t> begins(dfa.classes, 0);
  for (std::size_t byte = 0; byte < 256; ++byte)
    if (begins_code_point(static_cast<char>(byte))) begins[dfa.class_of[byte]] = 1;
  std::vector<std::uint8_t> between(dfa.states());
  for (std::uint32_t state = 0; state < dfa.states(); ++state) {
    bool is = dfa.label[state] != 0;
    for (std::uint32_t c = 0; c < dfa.classes && !is; ++c)
      is = begins[c] != 0 && dfa.next[std::size_t{state} * dfa.classes + c] != kNone;
    between[state] = is ? 1 : 0;
  }
  return between;
}

// Against the edges: each costs the character that begins with it, if one does.
CharactersToEnd characters_to_end(const Dfa& dfa, const Grouped& predecessors,
                                  std::span<const std::uint8_t> between) {
  CharactersToEnd to_end;
  to_end.least.assign(dfa.states(), kNone);
  to_end.least_behind.assign(dfa.states(), kNone);
  std::deque<std::uint32_t> work;
  for (std::uint32_t state = 0; state < dfa.states(); ++state) {
    if (dfa.label[state] == 0 || between[state] == 0) continue;
    to_end.least[state] = 0;
    work.push_back(state);
  }
  while (!work.empty()) {
    const std::uint32_t state = work.front();
    work.pop_front();
    for (const std::uint32_t before : predecessors.of(state)) {
      const bool begins = between[before] != 0;
      const std::uint32_t least = to_end.least[state] + (begins ? 1 : 0);
      to_end.least_behind[before] = std::min(to_end.least_behind[before], least);
      if (least >= to_end.least[before]) continue;
      to_end.least[before] = least;
      if (begins) {
        work.push_back(before);
      } else {
        work.push_front(before);
      }
    }
  }
  return to_end;
}

LengthRange length_range(const Dfa& dfa) {
  LengthRange range;
  if (dfa.empty()) return range;
  const DfaRows rows(dfa);
  const Grouped predecessors = predecessors_of(rows);
  const std::vector<std::uint8_t> between = between_characters(dfa);
  const CharactersToEnd to_end = characters_to_end(dfa, predecessors, between);
  range.least = to_end.least[0];
  range.extendable = true;
  // The shortest way on from an end has one character.
  for (std::uint32_t state = 0; state < dfa.states() && range.extendable; ++state)
    range.extendable = dfa.label[state] == 0 || to_end.least_behind[state] == 1;
  // The most: the longest way in an automaton without cycles.
  std::vector<std::uint32_t> longest(dfa.states(), kNone);
  for (const std::uint32_t state : finite_states(rows, predecessors)) {
    longest[state] = 0;
    for (const std::uint32_t to : rows.targets(state))
      if (to != kNone) longest[state] = std::max(longest[state], longest[to] + between[state]);
  }
  range.most = longest[0];
  return range;
}

}  // namespace emberline::grammar
