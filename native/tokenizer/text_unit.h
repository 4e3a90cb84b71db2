// A text as pre-tokenizers read it: one character after the other, each with its class.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/utf8.h"
#include "tokenizer/unicode_class.h"

namespace emberline {

// A byte that is not part of valid UTF-8 is a unit of its own, of class kOther.
struct TextUnit {
  UnicodeClass unicode_class;
  std::uint8_t length;  // in bytes
  char32_t code_point;  // kNotACharacter for a byte outside valid UTF-8
};
inline constexpr char32_t kNotACharacter = 0xFFFFFFFF;

constexpr std::array<UnicodeClass, 128> make_ascii_classes() {
  std::array<UnicodeClass, 128> classes{};
  constexpr std::string_view kSymbols = "$+<=>^`|~";
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    const bool symbol = kSymbols.find(static_cast<char>(c)) != std::string_view::npos;
    classes[c] = c >= 'a' && c <= 'z'   ? UnicodeClass::kLowerLetter
                 : c >= 'A' && c <= 'Z' ? UnicodeClass::kUpperLetter
                 : c >= '0' && c <= '9' ? UnicodeClass::kNumber
                 : space                ? UnicodeClass::kSpace
                 : symbol               ? UnicodeClass::kSymbol
                 : c > ' ' && c < 0x7F  ? UnicodeClass::kPunctuation
                                        : UnicodeClass::kOther;
  }
  return classes;
}
inline constexpr auto kAsciiClasses = make_ascii_classes();

// Precondition: position < text.size().
inline TextUnit unit_at(std::string_view text, std::size_t position) {
  const auto byte = static_cast<unsigned char>(text[position]);
  if (byte < 0x80) return {kAsciiClasses[byte], 1, byte};
  const Utf8Unit unit = read_utf8(text, position);
  if (unit.sequence != Utf8Sequence::kValid) return {UnicodeClass::kOther, 1, kNotACharacter};
  return {unicode_class(unit.code_point), unit.length, unit.code_point};
}

inline bool is_line_end(char32_t c) {
  return c == '\r' || c == '\n';
}

// The end of the run of units from `position` on for which `wanted` holds.
template <typename Wanted>
std::size_t skip_units(std::string_view text, std::size_t position, Wanted wanted) {
  while (position < text.size()) {
    const TextUnit unit = unit_at(text, position);
    if (!wanted(unit)) break;
    position += unit.length;
  }
  return position;
}

}  // namespace emberline
