#include "base/utf8.h"

#include <gtest/gtest.h>

#include "tokenizer/random_text.h"

namespace emberline {
namespace {

TEST(ReadUtf8, ReadsEveryCodePointAndNoSurrogate) {
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    std::string text;
    testing::append_utf8(point, text);
    const Utf8Unit unit = read_utf8(text, 0);
    if (point >= 0xD800 && point <= 0xDFFF) {
      ASSERT_EQ(unit.sequence, Utf8Sequence::kInvalid) << std::hex << static_cast<std::uint32_t>(point);
      continue;
    }
    ASSERT_EQ(unit.sequence, Utf8Sequence::kValid) << std::hex << static_cast<std::uint32_t>(point);
    ASSERT_EQ(unit.code_point, point);
    ASSERT_EQ(unit.length, text.size());
    ASSERT_EQ(utf16_units("a" + text + text), point > 0xFFFF ? 5u : 3u);
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
      const Utf8Unit part = read_utf8(std::string_view(text).substr(0, cut), 0);
      ASSERT_EQ(part.sequence, Utf8Sequence::kIncomplete);
      ASSERT_EQ(part.length, cut);
    }
  }
}

TEST(ReadUtf8, RefusesOverlongAndTooLargeForms) {
  for (const char* text : {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
                           "\xF5\x80\x80\x80", "\x80", "\xFF"}) {
    const Utf8Unit unit = read_utf8(text, 0);
    EXPECT_EQ(unit.sequence, Utf8Sequence::kInvalid) << text;
    EXPECT_EQ(unit.length, 1) << text;
  }
}

}  // namespace
}  // namespace emberline
