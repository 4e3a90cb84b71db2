#include "tokenizer/unicode_class.h"

#include <gtest/gtest.h>

namespace emberline {
namespace {

// That the table is Unicode's own is checked where it is generated; here, that it is read right.
TEST(UnicodeClass, NamesLettersNumbersAndWhiteSpace) {
  for (const char32_t c :
       {U'a', U'Z', U'ß', U'я', U'日', U'ก', U'ª', U'\u02B0', U'\u0620', U'\U0001D400', U'\U00020000'}) {
    EXPECT_EQ(unicode_class(c), UnicodeClass::kLetter) << static_cast<std::uint32_t>(c);
  }
  for (const char32_t c : {U'0', U'9', U'²', U'½', U'Ⅷ', U'①', U'\u0663', U'\u096A', U'\U0001D7D8'}) {
    EXPECT_EQ(unicode_class(c), UnicodeClass::kNumber) << static_cast<std::uint32_t>(c);
  }
  for (const char32_t c : {U'\t', U'\n', U'\v', U'\f', U'\r', U' ', U'\u0085', U'\u00A0', U'\u1680',
                           U'\u2000', U'\u200A', U'\u2028', U'\u2029', U'\u202F', U'\u205F', U'\u3000'}) {
    EXPECT_EQ(unicode_class(c), UnicodeClass::kSpace) << static_cast<std::uint32_t>(c);
  }
  for (const char32_t c : {U'\0', U'_', U'$', U'\u0301', U'\u200B', U'\u200D', U'\uFEFF', U'\uFFFD', U'€',
                           U'\U0001F600', U'\uE000'}) {
    EXPECT_EQ(unicode_class(c), UnicodeClass::kOther) << static_cast<std::uint32_t>(c);
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
