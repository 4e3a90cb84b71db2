#include "grammar/regular/length_range.h"

#include <algorithm>
#include <vector>

#include "base/utf8.h"
#include "grammar/regular/dfa_rows.h"

namespace emberline::grammar {

// Edges that begin a character count one, others none.
LengthRange length_range(const Dfa& dfa) {
  const std::uint32_t states = dfa.states();
  LengthRange range;
  if (states == 0) return range;
  struct Edge {
    std::uint32_t to;
    std::uint32_t characters;
  };
  std::vector<std::vector<Edge>> edges(states);
  std::vector<std::uint8_t> begins(dfa.classes, 0);
  for (unsigned byte = 0; byte < 256; ++byte)
    begins[dfa.class_of[byte]] |=
        static_cast<std::uint8_t>(begins_code_point(static_cast<char>(byte)) ? 2 : 1);
  for (std::uint32_t state = 0; state < states; ++state) {
    for (std::uint32_t c = 0; c < dfa.classes; ++c) {
      const std::uint32_t to = dfa.next[static_cast<std::size_t>(state) * dfa.classes + c];
      // A class of both kinds has no edges, in an automaton of valid texts, but where all are dead.
      if (to != kNone) edges[state].push_back({to, (begins[c] & 2) != 0 ? 1u : 0u});
    }
  }
  // The least characters from each state to an end, and whether an end goes on to an end by one character.
  std::vector<std::uint32_t> least(states, kNone);
  for (std::uint32_t state = 0; state < states; ++state)
    if (dfa.label[state] != 0) least[state] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t state = states; state-- > 0;) {
      for (const Edge& edge : edges[state]) {
        if (least[edge.to] == kNone || least[edge.to] + edge.characters >= least[state]) continue;
        least[state] = least[edge.to] + edge.characters;
        changed = true;
      }
    }
  }
  range.least = least[0];
  range.extendable = true;
  for (std::uint32_t state = 0; state < states && range.extendable; ++state) {
    if (dfa.label[state] == 0) continue;
    // The shortest way on from an end has one character.
    std::uint32_t next = kNone;
    for (const Edge& edge : edges[state])
      next = std::min(next, least[edge.to] == kNone ? kNone : least[edge.to] + edge.characters);
    range.extendable = next == 1;
  }
  // The most: the longest way in an automaton without cycles.
  std::vector<std::uint32_t> longest(states, kNone);
  const DfaRows rows(dfa);
  for (const std::uint32_t state : finite_states(rows, predecessors_of(rows))) {
    longest[state] = 0;
    for (const Edge& edge : edges[state])
      longest[state] = std::max(longest[state], longest[edge.to] + edge.characters);
  }
  range.most = longest[0];
  return range;
}

}  // namespace emberline::grammar
