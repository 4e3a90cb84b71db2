#include "tokenizer/text_normaliser.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "take.h"
#include "tokenizer/charsmap_writer.h"
#include "tokenizer/random_text.h"

namespace emberline::testing {
namespace {

using StringMap = std::map<std::string, std::string>;

TextNormaliser normaliser_of(const StringMap& map, bool removes_extra_spaces = false) {
  return take(TextNormaliser::make(CharsmapWriter(map).bytes(), removes_extra_spaces));
}

StringMap only(const std::string& from, const std::string& to) {
  StringMap map;
  map[from] = to;
  return map;
}

TEST(TextNormaliser, TakesTheLongestStringAtEachPlace) {
  const TextNormaliser normaliser =
      normaliser_of({{"Ａ", "A"}, {"e", "e"}, {"e\u0301", "é"}, {"\u200b", ""}, {"½", "1⁄2"}});
  EXPECT_EQ(normaliser.normalised("Ａbe\u0301e\u200bx½"), "Abéex1⁄2");
  EXPECT_EQ(normaliser.normalised(""), "");
  EXPECT_FALSE(normaliser.is_identity());
}

TEST(TextNormaliser, WithoutAMapTextStaysAsItIs) {
  const TextNormaliser normaliser = take(TextNormaliser::make({}, false));
  EXPECT_TRUE(normaliser.is_identity());
  EXPECT_EQ(normaliser.normalised("Ａ  \xFFx"), "Ａ  \xFFx");
}

TEST(TextNormaliser, SeveralSpacesAreOneWhereTheModelHasItSo) {
  const StringMap map = {{"\t", " "}, {"\u3000", " "}};
  EXPECT_EQ(normaliser_of(map, true).normalised(" \t a\u3000 b  "), " a b ");
  EXPECT_EQ(normaliser_of(map, false).normalised(" \ta"), "  a");
}

TEST(TextNormaliser, EqualsALookUpOfEveryStringOfTheMap) {
  std::mt19937 random(5);
  const std::vector<std::string> parts = {"a", "b", "é", "日", "\u0301", "\xFF", "\xE6"};
  const auto some = [&](std::uint32_t most) {
    std::string text;
    for (std::uint32_t left = below(random, most); left > 0; --left)
      text += parts[below(random, static_cast<std::uint32_t>(parts.size()))];
    return text;
  };
  for (int round = 0; round < 40; ++round) {
    StringMap map;
    for (int i = 0; i < 30; ++i) map["a" + some(3)] = some(4);
    map["日"] = "x";
    const TextNormaliser normaliser = normaliser_of(map);
    for (int i = 0; i < 50; ++i) {
      const std::string text = some(30);
      std::string expected;
      for (std::size_t at = 0; at < text.size();) {
        const Utf8Unit unit = read_utf8(text, at);
        std::size_t length = unit.sequence == Utf8Sequence::kValid ? unit.length : 1;
        std::string taken = text.substr(at, length);
        std::size_t longest = 0;
        for (const auto& [from, to] : map) {
          if (from.size() <= longest || text.compare(at, from.size(), from) != 0) continue;
          longest = length = from.size();
          taken = to;
        }
        expected += taken;
        at += length;
      }
      ASSERT_EQ(normaliser.normalised(text), expected);
    }
  }
}

TEST(TextNormaliser, WhatIsNoMapIsRefused) {
  const std::vector<std::uint8_t> good = CharsmapWriter(only("a", "b")).bytes();
  const auto refused = [](std::vector<std::uint8_t> bytes) {
    const auto made = TextNormaliser::make(bytes, false);
    return !made.ok() && made.error().code() == ErrorCode::kModelMetadataInvalid;
  };
  EXPECT_FALSE(refused(good));
  EXPECT_TRUE(refused({1, 2, 3}));
  EXPECT_TRUE(refused({0, 0, 0, 0}));
  EXPECT_TRUE(refused({255, 255, 255, 255, 0}));
  EXPECT_TRUE(refused({3, 0, 0, 0, 1, 2, 3, 0})) << "half a unit";
  std::vector<std::uint8_t> open = good;
  open.back() = 'x';
  EXPECT_TRUE(refused(open)) << "a string that does not end";
  EXPECT_TRUE(refused(CharsmapWriter(only("a", std::string(300, 'b'))).bytes())) << "a string that floods";
}

TEST(TextNormaliser, DamagedMapsDoNoHarm) {
  const std::vector<std::uint8_t> good =
      CharsmapWriter(StringMap{{"a", "b"}, {"ab", "c"}, {"é", "e"}, {"日本", ""}}).bytes();
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::uint8_t> bytes = good;
    for (int k = 0; k < 3; ++k)
      bytes[below(random, static_cast<std::uint32_t>(bytes.size()))] =
          static_cast<std::uint8_t>(below(random, 256));
    const auto made = TextNormaliser::make(bytes, i % 2 == 0);
    if (made.ok()) {
      EXPECT_LE(made.value().normalised("aabé日本 日ab\xFF").size(), 20u * 256u);
    }
  }
}

// Where it goes round in circles no string of it is the longest.
TEST(TextNormaliser, ACircularMapIsNotFollowedToTheEndOfTheText) {
  constexpr std::uint32_t kHasValue = 1u << 8;
  std::vector<std::uint32_t> units(256);  // the root, whose offset is 0, is the value of every match, too
  units['a'] = 'a' << 10 | kHasValue | 'a';
  std::vector<std::uint8_t> map = {0, 4, 0, 0};  // bytes of the units
  for (const std::uint32_t unit : units) {
    for (int shift = 0; shift < 32; shift += 8) map.push_back(static_cast<std::uint8_t>(unit >> shift));
  }
  map.insert(map.end(), {'b', 0});
  EXPECT_EQ(take(TextNormaliser::make(map, false)).normalised(std::string(600, 'a')), "bbb");
}

}  // namespace
}  // namespace emberline::testing
