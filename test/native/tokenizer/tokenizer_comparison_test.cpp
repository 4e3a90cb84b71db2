// Which tokenizers may draft for one another, and what is said of those that may not.
#include "tokenizer/tokenizer_comparison.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tokenizer/toy_vocabulary.h"

namespace emberline {
namespace {

using testing::ToyVocabulary;

// A few tokens of each kind behind the bytes.
ToyVocabulary toy(const std::string& pre = "gpt-2", const char* word = "re",
                  TokenType kind = TokenType::kControl) {
  ToyVocabulary vocabulary(pre);
  vocabulary.add(word, TokenType::kNormal);
  vocabulary.add("[other]", kind);
  vocabulary.add("<|mark|>", TokenType::kControl);
  vocabulary.add("<|end|>", TokenType::kControl);
  return vocabulary;
}
constexpr TokenId kMark = 258, kEnd = 259;

std::unique_ptr<Tokenizer> make(const ToyVocabulary& vocabulary, TokenId bos = kMark, TokenId eos = kEnd) {
  VocabularySpec spec = vocabulary.spec();
  spec.bos = bos;
  spec.eos = eos;
  auto made = Tokenizer::from_vocabulary(spec);
  EXPECT_TRUE(made.ok()) << made.error().message();
  return std::move(made).value();
}

std::string difference(const Tokenizer& other) {
  const auto one = make(toy());
  EXPECT_EQ(tokenizer_difference(*one, other).empty(), tokenizer_difference(other, *one).empty());
  return tokenizer_difference(*one, other);
}

TEST(TokenizerComparison, TheSameVocabularyIsTheSame) {
  EXPECT_EQ(difference(*make(toy())), "");
}

TEST(TokenizerComparison, UnusedTokensBehindTheRestDoNotCount) {
  ToyVocabulary padded = toy();
  padded.add("[PAD260]", TokenType::kUnused);
  padded.add("[PAD261]", TokenType::kUnused);
  EXPECT_EQ(difference(*make(padded)), "");
}

TEST(TokenizerComparison, EveryDifferenceIsNamed) {
  ToyVocabulary longer = toy();
  longer.add("xy", TokenType::kNormal);
  EXPECT_EQ(difference(*make(longer)), "one has 260 tokens, the other 261");
  EXPECT_EQ(difference(*make(toy("smollm"))), "one splits text by 'gpt-2', the other by 'smollm'");
  EXPECT_EQ(difference(*make(toy("gpt-2", "rf"))), "token 256 stands for other text");
  EXPECT_EQ(difference(*make(toy("gpt-2", "re", TokenType::kUserDefined))), "token 257 is of another kind");
  EXPECT_EQ(difference(*make(toy(), kEnd)), "texts begin or end with other tokens");
  EXPECT_EQ(difference(*make(toy(), kMark, kMark)), "token 258 ends the text of one alone");
}

}  // namespace
}  // namespace emberline
