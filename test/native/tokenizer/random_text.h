// Seeded random text of several kinds, for tests that want all sorts of bytes.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace emberline::testing {

inline void append_utf8(char32_t c, std::string& out) {
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xC0 | c >> 6));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | c >> 12));
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | c >> 18));
    out.push_back(static_cast<char>(0x80 | (c >> 12 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  }
}

inline std::uint32_t below(std::mt19937& random, std::uint32_t bound) {
  return static_cast<std::uint32_t>(random()) % bound;
}

// Texts of about `size` bytes each: bytes of any value, printable ASCII, words, white space and digits, code
// points of any value, valid text with bytes broken.
inline std::vector<std::string> random_texts(std::uint32_t seed, std::size_t size) {
  std::mt19937 random(seed);
  std::string any, ascii, words, blanks, points;
  while (any.size() < size) any.push_back(static_cast<char>(below(random, 256)));
  while (ascii.size() < size) ascii.push_back(static_cast<char>(32 + below(random, 95)));
  constexpr std::string_view kWords[] = {" the", "return", " x", "()",    ";\n", "    ", "'s",  "'RE",
                                         "fn",   " = ",    "{",  "}\r\n", "_a",  "Über", "日本"};
  while (words.size() < size) words += kWords[below(random, std::size(kWords))];
  constexpr std::string_view kBlanks[] = {
      " ", " ", "\t", "\n", "\r\n", "\xC2\xA0", "\xE3\x80\x80", "\xC2\x85", "7", "\xD9\xA3", "a", "."};
  while (blanks.size() < size) blanks += kBlanks[below(random, std::size(kBlanks))];
  while (points.size() < size) {
    const char32_t point = below(random, 4) == 0 ? below(random, 0x110000) : below(random, 0x3100);
    if (point < 0xD800 || point > 0xDFFF) append_utf8(point, points);
  }
  std::string broken = points;
  for (std::size_t i = 0; i < broken.size() / 20; ++i) {
    broken[below(random, static_cast<std::uint32_t>(broken.size()))] = static_cast<char>(below(random, 256));
  }
  return {any, ascii, words, blanks, points, broken};
}

}  // namespace emberline::testing
