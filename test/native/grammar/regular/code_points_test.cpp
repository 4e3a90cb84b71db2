#include "grammar/regular/code_points.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "grammar/regular/character_class.h"
#include "grammar/regular/nfa.h"
#include "tokenizer/unicode_class.h"

namespace emberline::grammar {
namespace {

std::string utf8(char32_t c) {
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 63))};
  if (c < 0x10000) {
    return {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)),
            static_cast<char>(0x80 | (c & 63))};
  }
  return {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 63)),
          static_cast<char>(0x80 | (c >> 6 & 63)), static_cast<char>(0x80 | (c & 63))};
}

Dfa language_of(const CodePointSet& set) {
  Nfa nfa;
  const Nfa::State start = nfa.add_state(), end = nfa.add_state();
  nfa.set_start(start);
  nfa.add_code_points(start, set, end);
  nfa.accept(end);
  auto dfa = determinised(nfa);
  EXPECT_TRUE(dfa.ok());
  return dfa.ok() ? std::move(dfa).value() : Dfa{};
}

void expect_exactly(const CodePointSet& set) {
  const Dfa dfa = language_of(set);
  for (char32_t c = 0; c <= kLastCodePoint; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) c = 0xE000;
    // First without the macro, which makes an object of each of a million results.
    if ((dfa.match(utf8(c)) != 0) == contains(set, c)) continue;
    FAIL() << static_cast<std::uint32_t>(c);
  }
}

TEST(CodePoints, SetsAreNormal) {
  const CodePointSet set =
      normalised(std::vector<CodePointRange>{{5, 7}, {1, 2}, {3, 3}, {9, 8}, {7, 12}, {20, 20}});
  EXPECT_EQ(set, (CodePointSet{{1, 3}, {5, 12}, {20, 20}}));
  EXPECT_EQ(complement(set), (CodePointSet{{0, 0}, {4, 4}, {13, 19}, {21, kLastCodePoint}}));
  EXPECT_EQ(complement(complement(set)), set);
  EXPECT_EQ(complement({}), any_character());
  EXPECT_TRUE(complement(any_character()).empty());
}

TEST(CodePoints, HaveTheirUtf8AndNoOther) {
  expect_exactly(any_character());
  expect_exactly({{0x7F, 0x80}, {0x7FF, 0x800}, {0xFFFF, 0x10000}, {kLastCodePoint, kLastCodePoint}});
  expect_exactly({{0xD7FE, 0xE001}});
  expect_exactly({{0x123, 0x4567}});
  expect_exactly({{0x12345, 0x10ABCD}});
  std::mt19937 random(1);
  for (int round = 0; round < 8; ++round) {
    std::vector<CodePointRange> ranges;
    for (int i = 0; i < 6; ++i) {
      const auto first = static_cast<char32_t>(random() >> random() % 21 & 0x1FFFFF) % (kLastCodePoint + 1);
      const auto last =
          std::min<char32_t>(first + static_cast<char32_t>(random() >> (11 + random() % 21)), kLastCodePoint);
      ranges.push_back({first, last});
    }
    expect_exactly(normalised(ranges));
  }
  // Surrogates have no UTF-8.
  EXPECT_TRUE(language_of({{0xD800, 0xDFFF}}).empty());
}

TEST(CodePoints, PropertiesAgreeWithTheTokenizersClasses) {
  const auto letters = unicode_property("L"), numbers = unicode_property("Number"),
             space = unicode_property("White_Space");
  ASSERT_TRUE(letters && numbers && space);
  for (char32_t c = 0; c <= kLastCodePoint; ++c) {
    const UnicodeClass of = unicode_class(c);
    ASSERT_EQ(contains(*letters, c), is_letter(of));
    ASSERT_EQ(contains(*numbers, c), of == UnicodeClass::kNumber);
    ASSERT_EQ(contains(*space, c), of == UnicodeClass::kSpace);
  }
}

TEST(CodePoints, PropertiesByAllTheirNames) {
  for (const auto& [a, b] : {std::pair{"Lu", "Uppercase_Letter"}, std::pair{"gc=Lu", "General_Category=Lu"},
                             std::pair{"Script=Greek", "sc=Grek"}, std::pair{"Alphabetic", "Alpha"},
                             std::pair{"Cased_Letter", "LC"}, std::pair{"P", "punct"}}) {
    ASSERT_TRUE(unicode_property(a) && unicode_property(b)) << a << " " << b;
    EXPECT_EQ(*unicode_property(a), *unicode_property(b)) << a << " " << b;
    EXPECT_FALSE(unicode_property(a)->empty());
  }
  EXPECT_TRUE(contains(*unicode_property("sc=Han"), 0x4E2D));
  EXPECT_FALSE(contains(*unicode_property("sc=Han"), 'a'));
  EXPECT_TRUE(contains(*unicode_property("sc=Hira"), 0x3042));
  EXPECT_TRUE(contains(*unicode_property("Emoji"), 0x1F600));
  EXPECT_TRUE(contains(*unicode_property("Cs"), 0xD800));
  EXPECT_EQ(*unicode_property("Assigned"), complement(*unicode_property("Cn")));
  EXPECT_EQ(*unicode_property("Any"), any_character());
  for (const char* name : {"", "Greek", "X", "lu", "Script=", "Script=Elvish", "gc=", "Block=Latin", "L="}) {
    EXPECT_FALSE(unicode_property(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace emberline::grammar
