// The whitespace that a program's layout writes.
#pragma once

#include <cstdint>
#include <optional>

#include "grammar/automaton/stacks.h"

namespace emberline::grammar {

inline constexpr std::uint32_t kMostSpaces = 64;  // bytes of whitespace at one place, in free layout

inline bool is_space(unsigned char byte) {
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

class LayoutText {
 public:
  LayoutText(const Layout& layout, const Stacks& stacks) : layout_(layout), stacks_(stacks) {}

  bool free() const { return layout_.kind == LayoutKind::kFree; }
  bool indented() const { return layout_.kind == LayoutKind::kIndented; }
  // Of the whitespace that is written where `leaf` reads, the byte at `at`, or none behind its end. None in
  // free layout, which takes any.
  std::optional<unsigned char> byte(const Frame& leaf, std::uint32_t at) const;
  // No whitespace that was read decides what `leaf` reads next.
  bool undecided(const Frame& leaf) const {
    return !indented() || leaf.spaces() == 0 || leaf.spaces() == kPast;
  }

 private:
  const Layout& layout_;
  const Stacks& stacks_;
};

}  // namespace emberline::grammar
