// Sets of Unicode code points, and their UTF-8.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace emberline::grammar {

inline constexpr char32_t kLastCodePoint = 0x10FFFF;

struct CodePointRange {
  char32_t first = 0, last = 0;  // both included
  bool operator==(const CodePointRange&) const = default;
};

// Ascending, neither overlapping nor touching.
using CodePointSet = std::vector<CodePointRange>;

CodePointSet normalised(std::span<const CodePointRange> ranges);
// All others, surrogates included.
CodePointSet complement(const CodePointSet& set);
bool contains(const CodePointSet& set, char32_t code_point);

// Code points of one UTF-8 length whose encodings are all sequences of bytes, each between the two given for
// it.
struct Utf8Range {
  std::uint8_t length = 0;  // 1 .. 4
  std::uint8_t first[4] = {}, last[4] = {};
};
// The encodings of `set` in pieces, in order. Surrogates have none.
std::vector<Utf8Range> utf8_ranges(const CodePointSet& set);

}  // namespace emberline::grammar
