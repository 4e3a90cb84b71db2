// Which tokens may come while text that was taken off is spelled again, where tokens are a SentencePiece
// model's.
#include "decode/healing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "take.h"
#include "tokenizer/toy_vocabulary.h"

namespace emberline::testing {
namespace {

TEST(HealingOfPieces, AllowsTheTokensThatTextBecomes) {
  ToyPieces toy;
  const TokenId space = toy.piece("▁", -1), word = toy.piece("▁int", -2), longer = toy.piece("▁into", -3);
  const TokenId part = toy.piece("▁i", -4);
  toy.piece("int", -5);
  toy.add("▁<PRE>", TokenType::kControl);
  const auto tokenizer = take(Tokenizer::from_vocabulary(toy.spec()));
  const TokenSets sets = TokenSets::build(*tokenizer, tokenizer->vocabulary_size());
  std::vector<TokenId> allowed;
  tokens_that_spell(*tokenizer, sets, " int", false, allowed);
  // A space is the token that texts have for it, not the byte.
  EXPECT_EQ(allowed, (std::vector<TokenId>{space, part, word, longer}));

  // A character that has no token is spelled byte by byte.
  tokens_that_spell(*tokenizer, sets, "日", false, allowed);
  EXPECT_EQ(allowed, (std::vector<TokenId>{ToyPieces::fallback('\xE6')}));
  tokens_that_spell(*tokenizer, sets, "\x97\xA5", false, allowed);
  EXPECT_EQ(allowed, (std::vector<TokenId>{ToyPieces::fallback('\x97')}));
}

// Whatever is chosen of what is allowed, the text comes back.
TEST(HealingOfPieces, EndsInTheText) {
  ToyPieces toy;
  for (const char* piece : {"▁", "▁▁", "a", "ab", "▁a", "b", "b▁", "é"}) toy.piece(piece, -1);
  const auto tokenizer = take(Tokenizer::from_vocabulary(toy.spec()));
  const TokenSets sets = TokenSets::build(*tokenizer, tokenizer->vocabulary_size());
  const std::string text = "  ab b\n日é a";
  for (std::size_t way = 0; way < 200; ++way) {
    std::string spelled;
    for (std::size_t step = 0; spelled.size() < text.size(); ++step) {
      std::vector<TokenId> allowed;
      tokens_that_spell(*tokenizer, sets, std::string_view(text).substr(spelled.size()), false, allowed);
      ASSERT_FALSE(allowed.empty());
      spelled += tokenizer->bytes(allowed[(way * 7 + step * step) % allowed.size()]);
    }
    EXPECT_TRUE(spelled.starts_with(text)) << spelled;
  }
}

}  // namespace
}  // namespace emberline::testing
