// Which tokens may come while text that was taken off is spelled again.
#include "decode/healing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "decode/blank.h"
#include "take.h"
#include "tokenizer/toy_vocabulary.h"
#include "toy_decoder.h"

namespace emberline::testing {
namespace {

TEST(Healing, AllowsExactlyTheTokensThatAgree) {
  const ToyDecoder decoder({});
  std::vector<TokenId> allowed;
  for (const std::string remaining : {"r", "ret", "return x", "\n", "\n  ", " ", "\xC3", "\xE2\x82", "zq"}) {
    for (const bool ban : {false, true}) {
      tokens_that_spell(*decoder.tokenizer, decoder.sets, remaining, ban, allowed);
      std::sort(allowed.begin(), allowed.end());
      std::vector<TokenId> expected;
      for (TokenId token = 0; token < decoder.tokenizer->vocabulary_size(); ++token) {
        if (decoder.sets.ends.contains(token)) continue;
        const std::string_view bytes = decoder.tokenizer->bytes(token);
        const std::size_t common = std::min(bytes.size(), remaining.size());
        const bool agrees = bytes.substr(0, common) == remaining.substr(0, common);
        const std::string_view beyond = bytes.substr(common);
        const bool banned =
            breaks_line_while_blank(beyond) || (ends_with_space(remaining) && begins_blank(beyond));
        if (agrees && !(ban && banned)) expected.push_back(token);
      }
      EXPECT_EQ(allowed, expected) << "'" << remaining << "' " << ban;
    }
  }
}

// Where tokens are a SentencePiece model's.
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
