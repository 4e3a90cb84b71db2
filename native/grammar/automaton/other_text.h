// Whether a language has a text besides some.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "grammar/regular/dfa.h"

namespace emberline::grammar {

// `seen`: ascending. `step(state, byte)`: the state behind it, or kNone where no text of the language goes on
// so; `accepts(state)`. Walks the language only where `seen` does: in time linear in those texts.
template <typename Step, typename Accepts>
bool other_text_exists(std::uint32_t start, const std::vector<std::string>& seen, const Step& step,
                       const Accepts& accepts) {
  struct Place {
    std::uint32_t state;
    std::size_t begin, end;  // of `seen`: those that go through here
    std::size_t length;
  };
  std::vector<Place> work{{start, 0, seen.size(), 0}};
  while (!work.empty()) {
    const Place place = work.back();
    work.pop_back();
    std::size_t begin = place.begin;
    const bool ends_here = begin < place.end && seen[begin].size() == place.length;
    if (!ends_here && accepts(place.state)) return true;
    while (begin < place.end && seen[begin].size() == place.length) ++begin;
    for (int byte = 0; byte < 256; ++byte) {
      const std::uint32_t next = step(place.state, static_cast<unsigned char>(byte));
      if (next == kNone) continue;
      std::size_t first = begin;
      while (first < place.end && static_cast<unsigned char>(seen[first][place.length]) < byte) ++first;
      std::size_t last = first;
      while (last < place.end && static_cast<unsigned char>(seen[last][place.length]) == byte) ++last;
      if (first == last) return true;
      work.push_back({next, first, last, place.length + 1});
    }
  }
  return false;
}

}  // namespace emberline::grammar
