// A text of a language.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grammar/regular/dfa.h"

namespace emberline::grammar::testing {

// A text of the language with as few bytes as any, the first of them in byte order; nullopt where it is
// empty.
inline std::optional<std::string> shortest(const Dfa& language) {
  if (language.empty()) return std::nullopt;
  // Breadth first in byte order: the first text that reaches a state is the least of the shortest.
  std::vector<std::uint32_t> from(language.states(), kNone);
  std::vector<char> by(language.states(), 0);
  std::vector<std::uint32_t> queue = {0};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (language.label[queue[i]] != 0) {
      std::string text;
      for (std::uint32_t state = queue[i]; state != 0; state = from[state]) text.push_back(by[state]);
      std::ranges::reverse(text);
      return text;
    }
    for (int byte = 0; byte < 256; ++byte) {
      const std::uint32_t to = language.step(queue[i], static_cast<unsigned char>(byte));
      if (to == kNone || to == 0 || from[to] != kNone) continue;
      from[to] = queue[i];
      by[to] = static_cast<char>(byte);
      queue.push_back(to);
    }
  }
  return std::nullopt;
}

}  // namespace emberline::grammar::testing
