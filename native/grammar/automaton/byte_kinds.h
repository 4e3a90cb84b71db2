// Kinds of bytes: a set of them, one word, says what texts are made of.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "grammar/regular/code_points.h"

namespace emberline::grammar {

using ByteKinds = std::uint64_t;  // a bit for each kind

// Characters beyond ASCII, well-formed as far as the text goes: those that patterns tell apart from others,
// which are the line terminators and other whitespace of ECMA-262, and all that the others may begin like; a
// byte that is not of one.
inline constexpr ByteKinds kWide = ByteKinds{1} << 60, kWideSpace = ByteKinds{1} << 61,
                           kWideLine = ByteKinds{1} << 62, kIllFormed = ByteKinds{1} << 63;

// Of the bytes of ASCII: digits, hexadecimal letters, other letters and control characters each are a kind,
// every other byte is one by itself.
inline constexpr std::array<ByteKinds, 128> kAsciiKinds = [] {
  std::array<ByteKinds, 128> kinds{};
  int own = 6;
  for (std::size_t byte = 0; byte < 128; ++byte) {
    const auto within = [byte](char first, char last) {
      return byte >= static_cast<unsigned char>(first) && byte <= static_cast<unsigned char>(last);
    };
    const int kind = byte < 0x20        ? 0
                     : within('0', '9') ? 1
                     : within('a', 'f') ? 2
                     : within('g', 'z') ? 3
                     : within('A', 'F') ? 4
                     : within('G', 'Z') ? 5
                                        : own++;
    kinds[byte] = ByteKinds{1} << kind;
  }
  return kinds;
}();

// Of what stands for itself in a JSON string.
inline constexpr ByteKinds kPlainKinds = [] {
  ByteKinds kinds = kWide | kWideSpace | kWideLine;
  for (std::size_t byte = 0x20; byte < 128; ++byte) {
    if (byte != '"' && byte != '\\') kinds |= kAsciiKinds[byte];
  }
  return kinds;
}();

// Of a character beyond ASCII.
ByteKinds wide_kind(char32_t character);

// Characters beyond ASCII that are of one kind, by the ranges of their bytes.
struct WideForm {
  ByteKinds kind;
  Utf8Range bytes;
};
const std::vector<WideForm>& wide_forms();  // all of them

}  // namespace emberline::grammar
