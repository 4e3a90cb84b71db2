// A deterministic automaton over bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace emberline::grammar {

inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;  // no state, no index

// Always trimmed: from every state an accepting one can be reached. The empty language has no states.
struct Dfa {
  std::array<std::uint8_t, 256> class_of{};  // byte -> class, below `classes`
  std::uint32_t classes = 1;
  std::vector<std::uint32_t> next;   // [states, classes]: the state behind a byte of the class, or kNone
  std::vector<std::uint32_t> label;  // [states]: 0: not accepting; else which of several languages it is

  // State 0 is the start.
  std::uint32_t states() const { return static_cast<std::uint32_t>(label.size()); }
  bool empty() const { return label.empty(); }
  std::uint32_t step(std::uint32_t state, unsigned char byte) const {
    return next[static_cast<std::size_t>(state) * classes + class_of[byte]];
  }
  // The label of `text`; 0 where it is not of the language.
  std::uint32_t match(std::string_view text) const {
    std::uint32_t state = empty() ? kNone : 0;
    for (const char c : text) {
      if (state == kNone) return 0;
      state = step(state, static_cast<unsigned char>(c));
    }
    return state == kNone ? 0 : label[state];
  }
  // Of minimal ones (minimise.h): whether the languages are equal.
  bool operator==(const Dfa&) const = default;
};

}  // namespace emberline::grammar
