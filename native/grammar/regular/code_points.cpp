#include "grammar/regular/code_points.h"

#include <algorithm>
#include <utility>

namespace emberline::grammar {
namespace {

constexpr char32_t kLastOfLength[] = {0x7F, 0x7FF, 0xFFFF, kLastCodePoint};

std::uint8_t encode(char32_t code_point, std::uint8_t* bytes) {
  if (code_point <= 0x7F) {
    bytes[0] = static_cast<std::uint8_t>(code_point);
    return 1;
  }
  std::uint8_t length = 2;
  while (code_point > kLastOfLength[length - 1]) ++length;
  for (int i = length - 1; i > 0; --i, code_point >>= 6) {
    bytes[i] = static_cast<std::uint8_t>(0x80 | (code_point & 0x3F));
  }
  constexpr std::uint8_t kLead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  bytes[0] = static_cast<std::uint8_t>(kLead[length] | code_point);
  return length;
}

// first .. last have encodings of one length. Cut where a continuation byte would not run from 80 to BF.
void add(char32_t first, char32_t last, std::vector<Utf8Range>& pieces) {
  for (int shift = 6; shift < 24 && last > 0x7F; shift += 6) {
    const char32_t below = (char32_t{1} << shift) - 1;
    if ((first & ~below) == (last & ~below)) break;
    if ((first & below) != 0) {
      add(first, first | below, pieces);
      add((first | below) + 1, last, pieces);
      return;
    }
    if ((last & below) != below) {
      add(first, (last & ~below) - 1, pieces);
      add(last & ~below, last, pieces);
      return;
    }
  }
  Utf8Range piece;
  piece.length = encode(first, piece.first);
  encode(last, piece.last);
  pieces.push_back(piece);
}

}  // namespace

CodePointSet normalised(std::span<const CodePointRange> ranges) {
  CodePointSet sorted(ranges.begin(), ranges.end());
  std::ranges::sort(sorted, {}, &CodePointRange::first);
  CodePointSet set;
  for (const CodePointRange& range : sorted) {
    if (range.last < range.first) continue;
    if (!set.empty() && range.first <= set.back().last + 1) {
      set.back().last = std::max(set.back().last, range.last);
    } else {
      set.push_back(range);
    }
  }
  return set;
}

CodePointSet complement(const CodePointSet& set) {
  CodePointSet others;
  char32_t next = 0;
  for (const CodePointRange& range : set) {
    if (range.first > next) others.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLastCodePoint) others.push_back({next, kLastCodePoint});
  return others;
}

bool contains(const CodePointSet& set, char32_t code_point) {
  const auto behind = std::ranges::upper_bound(set, code_point, {}, &CodePointRange::first);
  return behind != set.begin() && code_point <= std::prev(behind)->last;
}

std::vector<Utf8Range> utf8_ranges(const CodePointSet& set) {
  std::vector<Utf8Range> pieces;
  for (const CodePointRange& range : set) {
    char32_t first = range.first;
    while (first <= range.last) {
      if (first >= 0xD800 && first <= 0xDFFF) {
        first = 0xE000;
        continue;
      }
      char32_t last = range.last;
      for (const char32_t end : {char32_t{0x7F}, char32_t{0x7FF}, char32_t{0xD7FF}, char32_t{0xFFFF}}) {
        if (first <= end && last > end) last = end;
      }
      add(first, std::min(last, kLastCodePoint), pieces);
      first = last + 1;
    }
  }
  return pieces;
}

}  // namespace emberline::grammar
