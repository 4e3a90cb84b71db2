#include "tokenizer/unicode_class.h"

#include <gtest/gtest.h>

#include <string_view>

#include "tokenizer/text_unit.h"

namespace emberline {
namespace {

// That the table is Unicode's own is checked where it is generated; here, that it is read right.
TEST(UnicodeClass, NamesWhatPreTokenizersAskFor) {
  const auto expect_all = [](UnicodeClass expected, std::u32string_view some) {
    for (const char32_t c : some) EXPECT_EQ(unicode_class(c), expected) << static_cast<std::uint32_t>(c);
  };
  expect_all(UnicodeClass::kUpperLetter, U"AZÜЯΩ\u01C5\U0001D400");
  expect_all(UnicodeClass::kLowerLetter, U"azßяµ\u017F\U0001D41A");
  expect_all(UnicodeClass::kOtherLetter, U"日กªº\u02B0\u0620\U00020000");
  expect_all(UnicodeClass::kNumber, U"09²½Ⅷ①\u0663\u096A\U0001D7D8");
  expect_all(UnicodeClass::kSpace,
             U"\t\n\v\f\r \u0085\u00A0\u1680\u2000\u200A\u2028\u2029\u202F\u205F\u3000");
  expect_all(UnicodeClass::kMark, U"\u0301\u0903\u20DD\uFE0F");
  expect_all(UnicodeClass::kPunctuation, U"_-()«»!#%&*/:@\\·、。");
  expect_all(UnicodeClass::kSymbol, U"$+<=>^`|~€¬\u309B\U0001F600\uFFFD");
  expect_all(UnicodeClass::kOther, std::u32string_view(U"\0\u001F\u007F\u200B\u200D\uFEFF\uE000", 7));
}

// One character a class and script is known above; here, that the two ways to read ASCII agree.
TEST(UnicodeClass, OfAsciiIsInAShortTableToo) {
  for (std::size_t c = 0; c < kAsciiClasses.size(); ++c) {
    EXPECT_EQ(kAsciiClasses[c], unicode_class(static_cast<char32_t>(c))) << c;
  }
}

TEST(UnicodeClass, EdgesOfTheCodeSpace) {
  EXPECT_EQ(unicode_class(0x10FFFF), UnicodeClass::kOther);
  EXPECT_EQ(unicode_class(0x110000), UnicodeClass::kOther);
  EXPECT_EQ(unicode_class(0xFFFFFFFF), UnicodeClass::kOther);
  EXPECT_EQ(unicode_class(0xD800), UnicodeClass::kOther);
}

TEST(UnicodeClass, HasExactlyTheWhiteSpaceOfUnicode) {
  int count = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) count += unicode_class(c) == UnicodeClass::kSpace;
  EXPECT_EQ(count, 25);  // PropList.txt, White_Space
}

}  // namespace
}  // namespace emberline
