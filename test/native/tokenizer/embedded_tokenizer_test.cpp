#include "tokenizer/embedded_tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tokenizer/random_text.h"

namespace emberline {
namespace {

using Ids = std::vector<TokenId>;

class EmbeddedTokenizer : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { tokenizer_ = testing::load_embedded_tokenizer(); }
  static void TearDownTestSuite() { tokenizer_.reset(); }
  void SetUp() override { ASSERT_TRUE(tokenizer_) << "The embedded model could not be read."; }

  static std::unique_ptr<Tokenizer> tokenizer_;
};
std::unique_ptr<Tokenizer> EmbeddedTokenizer::tokenizer_;

TEST_F(EmbeddedTokenizer, IsWhatTheModelNeeds) {
  EXPECT_EQ(tokenizer_->vocabulary_size(), 49152u);
  EXPECT_EQ(tokenizer_->pre_tokenizer_name(), "smollm");
  EXPECT_EQ(tokenizer_->bos(), 1u);
  EXPECT_EQ(tokenizer_->eos(), 2u);
  EXPECT_FALSE(tokenizer_->adds_bos());
  EXPECT_EQ(tokenizer_->bytes(2), "<|im_end|>");
  for (TokenId id = 0; id < tokenizer_->vocabulary_size(); ++id) {
    ASSERT_EQ(tokenizer_->kind(id), id < 17 ? TokenKind::kControl : TokenKind::kNormal) << id;
  }
  Ids ends;
  for (TokenId id = 0; id < tokenizer_->vocabulary_size(); ++id) {
    if (tokenizer_->ends_generation(id)) ends.push_back(id);
  }
  // <|endoftext|>, <|im_end|>, <repo_name>, <reponame>, <file_sep>, <filename>, and what ends a middle
  EXPECT_EQ(ends, (Ids{0, 2, 3, 4, 5, 6, 10}));
}

TEST_F(EmbeddedTokenizer, EncodesAsItWasTrained) {
  EXPECT_EQ(tokenizer_->encode("hello world", false), (Ids{28120, 905}));
  EXPECT_EQ(tokenizer_->encode("def f(x):\n    return x + 1234\n", false),
            (Ids{1604, 275, 24, 104, 727, 472, 1003, 1792, 1232, 216, 33, 34, 35, 36, 198}));
  EXPECT_EQ(tokenizer_->encode("<|im_start|>", true), (Ids{1}));
  EXPECT_EQ(tokenizer_->encode("<|im_end|>", false), (Ids{44, 108, 306, 79, 486, 108, 46}));
}

TEST_F(EmbeddedTokenizer, BytesComeBackButForThoseItHasNoTokenFor) {
  std::string lacking;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    if (tokenizer_->token_of_bytes({&c, 1}) == kNoToken) lacking.push_back(c);
  }
  EXPECT_EQ(lacking, "\x04\x06\x13\x14\x16\x1D\xC0\xC1\xF1\xF2\xF5\xF6\xF7\xF8\xF9\xFA\xFB\xFC\xFD\xFE\xFF");
  for (std::string text : testing::random_texts(2, 170'000)) {  // six of them: a million bytes
    const std::string decoded = tokenizer_->decode(tokenizer_->encode(text, false));
    std::erase_if(text, [&](char c) { return lacking.find(c) != std::string::npos; });
    ASSERT_TRUE(decoded == text);
  }
}

TEST_F(EmbeddedTokenizer, TextNeverBecomesAControlToken) {
  std::string text;
  for (TokenId id = 0; id < 17; ++id) text.append(tokenizer_->bytes(id)).append(id % 2 ? " " : "");
  for (const TokenId id : tokenizer_->encode(text, false))
    ASSERT_EQ(tokenizer_->kind(id), TokenKind::kNormal);
}

TEST_F(EmbeddedTokenizer, TokensThatStartWithAPrefixAreARange) {
  const auto sorted = tokenizer_->sorted_by_bytes();
  EXPECT_EQ(sorted.size(), 49152u - 17u);
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end(), [](TokenId a, TokenId b) {
    return tokenizer_->bytes(a) < tokenizer_->bytes(b);
  }));
  for (const std::string_view prefix : {" ", " ret", "re", "\n    ", "func", "\xE6", "zzzz", "0"}) {
    const auto range = tokenizer_->tokens_starting_with(prefix);
    const auto counted = std::count_if(sorted.begin(), sorted.end(),
                                       [&](TokenId id) { return tokenizer_->bytes(id).starts_with(prefix); });
    EXPECT_EQ(range.size(), static_cast<std::size_t>(counted)) << prefix;
    for (const TokenId id : range) EXPECT_TRUE(tokenizer_->bytes(id).starts_with(prefix));
  }
  EXPECT_EQ(tokenizer_->bytes(tokenizer_->token_of_bytes(" return")), " return");
}

// No assertion on time: quadratic work would be 2^40 steps.
TEST_F(EmbeddedTokenizer, LongPiecesTakeNearlyLinearTime) {
  for (const std::string_view unit : {"a", " ", "=-", "日本", "<|im_", "\n \n"}) {
    std::string text;
    while (text.size() < std::size_t{1} << 20) text += unit;
    EXPECT_TRUE(tokenizer_->decode(tokenizer_->encode(text, true)) == text) << unit;
  }
}

}  // namespace
}  // namespace emberline
