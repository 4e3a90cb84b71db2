#include "tokenizer/utf8_stream.h"

#include <gtest/gtest.h>

#include "tokenizer/random_text.h"

namespace emberline {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

std::string decode_at_once(std::string_view bytes) {
  return Utf8Stream().feed(bytes);
}

TEST(Utf8Stream, HoldsBackAnIncompleteCodePoint) {
  Utf8Stream stream;
  EXPECT_EQ(stream.feed("a\xF0\x9F"), "a");
  EXPECT_EQ(stream.feed("\x98"), "");
  EXPECT_EQ(stream.feed("\x80z"), "\xF0\x9F\x98\x80z");
  EXPECT_EQ(stream.feed("\xE6\x97"), "");
  EXPECT_EQ(stream.feed("ok"), std::string(kReplacement) + "ok");
  EXPECT_EQ(stream.feed("\xA5"), kReplacement);  // a continuation byte with nothing to continue
}

// The examples of the Unicode standard, section 3.9, on replacing maximal subparts.
TEST(Utf8Stream, ReplacesMaximalSubparts) {
  const std::string r = kReplacement;
  EXPECT_EQ(decode_at_once("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(decode_at_once("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(decode_at_once("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), r + r + r + r + r + "A" + r + r + "B");
  EXPECT_EQ(decode_at_once("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r + r + r + r + "A");
}

TEST(Utf8Stream, HowTheBytesArriveDoesNotMatter) {
  std::mt19937 random(7);
  for (const std::string& bytes : testing::random_texts(11, 20'000)) {
    const std::string expected = decode_at_once(bytes);
    for (int round = 0; round < 5; ++round) {
      Utf8Stream stream;
      std::string text;
      for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t count = testing::below(random, round == 0 ? 2 : 7);
        text += stream.feed(std::string_view(bytes).substr(at, count));
        at += count;
      }
      ASSERT_EQ(text, expected);
    }
    // What comes out is valid, and decoding it again changes nothing.
    EXPECT_EQ(decode_at_once(expected), expected);
  }
}

TEST(Utf8Stream, LeavesValidTextAlone) {
  const std::string text = testing::random_texts(3, 50'000)[4];
  EXPECT_EQ(decode_at_once(text), text);
}

}  // namespace
}  // namespace emberline
