// Every text of a few characters, for comparing an automaton with the language that it should have.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace emberline::grammar::testing {

// Texts of up to `most` of the `pieces`, shorter ones first.
inline std::vector<std::string> short_texts(std::span<const std::string_view> pieces, std::size_t most) {
  std::vector<std::string> texts = {""};
  std::size_t begin = 0;
  for (std::size_t length = 0; length < most; ++length) {
    const std::size_t end = texts.size();
    for (; begin < end; ++begin) {
      for (const std::string_view piece : pieces) texts.push_back(texts[begin] + std::string(piece));
    }
  }
  return texts;
}

}  // namespace emberline::grammar::testing
