// A SentencePiece model's tokenizer in all that the engine asks of one.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "random_cases.h"
#include "take.h"
#include "tokenizer/random_text.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/toy_vocabulary.h"
#include "tokenizer/utf8_stream.h"

namespace emberline::testing {
namespace {

using PieceIds = std::vector<TokenId>;

TEST(SentencePiece, AnyBytesComeBackAsTheyWent) {
  ToyPieces toy;
  for (const char* piece : {"▁", "▁▁", "▁t", "t", "h", "e", "he", "▁the", "é", "日本", "\n", "=▁"})
    toy.piece(piece, -1);
  toy.add("<div>", TokenType::kUserDefined);
  toy.add("</s>", TokenType::kControl);
  const auto tokenizer = take(Tokenizer::from_vocabulary(toy.spec()));
  for (const std::string& text : random_texts(3, random_cases(100'000))) {
    for (const bool parse_special : {false, true}) {
      ASSERT_EQ(tokenizer->decode(tokenizer->encode(text, parse_special)), text);
    }
  }
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("▁ ▁", false)), "▁ ▁");
}

TEST(SentencePiece, WhatIsWrittenTokenByTokenIsTheText) {
  ToyPieces toy;
  const TokenId word = toy.piece("▁int", -1);
  const auto tokenizer = take(Tokenizer::from_vocabulary(toy.spec()));
  EXPECT_EQ(tokenizer->bytes(word), " int");
  Utf8Stream stream;
  std::string shown;
  for (const TokenId id : tokenizer->encode("é int", false)) shown += stream.feed(tokenizer->bytes(id));
  EXPECT_EQ(shown, "é int");
}

TEST(SentencePiece, TextNeverBecomesAControlToken) {
  ToyPieces toy;
  const TokenId end = toy.add("</s>", TokenType::kControl);
  const TokenId user_end = toy.add("<s>", TokenType::kUserDefined);  // Phi-3 marks one like this
  const TokenId mark = toy.add("▁<PRE>", TokenType::kNormal);
  toy.piece("▁<", -1);
  toy.piece("PRE>", -1);
  const auto tokenizer = take(Tokenizer::from_vocabulary(toy.spec()));
  for (const std::string text : {"</s>", "<s>", " <PRE>", "▁<PRE>", "<unk>", "<0x41>"}) {
    const PieceIds ids = tokenizer->encode(text, false);
    for (const TokenId id : ids) EXPECT_NE(tokenizer->kind(id), TokenKind::kControl) << text;
    EXPECT_EQ(tokenizer->decode(ids), text);
  }
  EXPECT_EQ(tokenizer->encode("</s>", true), (PieceIds{end}));
  EXPECT_EQ(tokenizer->kind(user_end), TokenKind::kControl);
  EXPECT_EQ(tokenizer->kind(mark), TokenKind::kControl);
  EXPECT_TRUE(tokenizer->ends_generation(end));
}

TEST(SentencePiece, UserDefinedTokensAreTakenOutFirstSpacesToo) {
  ToyPieces toy;
  const TokenId space = toy.piece("▁", -1), a = toy.piece("a", -1);
  toy.piece("▁a", 0);
  const TokenId three = toy.add("▁▁▁", TokenType::kUserDefined);
  const auto tokenizer = take(Tokenizer::from_vocabulary(toy.spec()));
  EXPECT_EQ(tokenizer->encode("   a", false), (PieceIds{three, a}));
  EXPECT_EQ(tokenizer->encode("    ", false), (PieceIds{three, space}));
  EXPECT_EQ(tokenizer->bytes(three), "   ");
}

TEST(SentencePiece, OfTokensWithTheSameBytesTheOneThatTextBecomesIsFirst) {
  ToyPieces toy;
  const TokenId a = toy.piece("a", -1), space = toy.piece("▁", -1);
  const auto tokenizer = take(Tokenizer::from_vocabulary(toy.spec()));
  EXPECT_EQ(tokenizer->token_of_bytes("a"), a);
  EXPECT_EQ(tokenizer->token_of_bytes(" "), space);
  EXPECT_EQ(tokenizer->token_of_bytes("b"), ToyPieces::fallback('b'));
  const auto range = tokenizer->tokens_starting_with("a");
  EXPECT_EQ(PieceIds(range.begin(), range.end()), (PieceIds{a, ToyPieces::fallback('a')}));
  EXPECT_EQ(tokenizer->sorted_by_bytes().size(), 258u);
}

TEST(SentencePiece, AddsABosAndASpaceWhereTheFileDoesNotSayOtherwise) {
  ToyPieces toy;
  VocabularySpec spec = toy.spec();
  spec.bos = toy.add("<s>", TokenType::kControl);
  const TokenId bos = spec.bos;
  spec = toy.spec();
  spec.bos = bos;
  EXPECT_TRUE(take(Tokenizer::from_vocabulary(spec))->adds_bos());
  EXPECT_TRUE(take(Tokenizer::from_vocabulary(spec))->adds_space_prefix());
  spec.adds_bos = false;
  spec.adds_space_prefix = false;
  EXPECT_FALSE(take(Tokenizer::from_vocabulary(spec))->adds_bos());
  EXPECT_FALSE(take(Tokenizer::from_vocabulary(spec))->adds_space_prefix());
  const ToyVocabulary bytes;
  EXPECT_FALSE(take(Tokenizer::from_vocabulary(bytes.spec()))->adds_space_prefix());
}

TEST(SentencePiece, KnowsTheMarksOfCodeLlamaAndCodeGemma) {
  for (const TokenType type : {TokenType::kNormal, TokenType::kUserDefined, TokenType::kControl}) {
    ToyPieces toy;
    FimTokens expected;
    expected.prefix = toy.add("▁<PRE>", type);
    expected.suffix = toy.add("▁<SUF>", type);
    expected.middle = toy.add("▁<MID>", type);
    const TokenId end = toy.add("▁<EOT>", type);
    expected.layout = "prefix_suffix_middle";
    const auto tokenizer = take(Tokenizer::from_vocabulary(toy.spec()));
    EXPECT_EQ(tokenizer->fim(), expected);
    EXPECT_TRUE(tokenizer->ends_generation(end));
  }
  ToyPieces gemma;
  FimTokens expected;
  expected.prefix = gemma.add("<|fim_prefix|>", TokenType::kUserDefined);
  expected.suffix = gemma.add("<|fim_suffix|>", TokenType::kUserDefined);
  expected.middle = gemma.add("<|fim_middle|>", TokenType::kUserDefined);
  expected.separator = gemma.add("<|file_separator|>", TokenType::kUserDefined);
  expected.layout = "prefix_suffix_middle";
  const auto tokenizer = take(Tokenizer::from_vocabulary(gemma.spec()));
  EXPECT_EQ(tokenizer->fim(), expected);
  EXPECT_TRUE(tokenizer->ends_generation(expected.separator));
}

TEST(SentencePiece, LeavesATextThatIsCancelled) {
  const ToyPieces toy;
  const auto tokenizer = take(Tokenizer::from_vocabulary(toy.spec()));
  const std::atomic<bool> cancel = true;
  EXPECT_EQ(tokenizer->encode("a b c", false, &cancel), (PieceIds{}));
}

// No assertion on time: were any of these quadratic, 2^40 steps would show.
TEST(SentencePiece, LongRunsTakeLinearTime) {
  for (const bool over_words : {false, true}) {
    ToyPieces toy;
    for (const char* piece : {"▁", "▁▁", "▁▁▁▁", "a", "aa", "aaaa", "▁a"}) toy.piece(piece, -1);
    if (over_words) toy.piece("a▁", -2);
    const auto tokenizer = take(Tokenizer::from_vocabulary(toy.spec()));
    for (const std::string_view unit : {"a", " ", " a", "b", "日", "\xFF", "\n"}) {
      std::string text;
      while (text.size() < std::size_t{1} << 20) text += unit;
      EXPECT_EQ(tokenizer->decode(tokenizer->encode(text, false)), text);
    }
  }
}

}  // namespace
}  // namespace emberline::testing
