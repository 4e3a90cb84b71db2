#include "tokenizer/unigram_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "take.h"
#include "tokenizer/random_text.h"
#include "tokenizer/toy_vocabulary.h"

namespace emberline::testing {
namespace {

using UnigramIds = std::vector<TokenId>;

UnigramIds encode_unigram(const ToyPieces& toy, std::string_view text, TokenId unknown = 0) {
  const VocabularySpec spec = toy.spec();
  const Vocabulary vocabulary = take(Vocabulary::make(spec));
  const UnigramEncoder encoder = take(UnigramEncoder::make(vocabulary, spec.scores, unknown));
  UnigramEncoder::Scratch scratch;
  UnigramIds ids;
  encoder.encode(text, nullptr, scratch, ids);
  return ids;
}

// The score of the best cut of all there are, each looked at; `least`: of all tokens.
double best_cut(const Vocabulary& vocabulary, const std::vector<float>& scores, double least,
                std::string_view text) {
  if (text.empty()) return 0;
  const Utf8Unit unit = read_utf8(text, 0);
  const std::size_t character = unit.sequence == Utf8Sequence::kValid ? unit.length : 1;
  double best = -1e300;
  for (std::size_t length = 1; length <= text.size(); ++length) {
    const TokenId token = vocabulary.find_normal(text.substr(0, length));
    if (token == kNoToken && length != character) continue;
    const double score = token == kNoToken ? least - 10 : scores[token];
    best = std::max(best, score + best_cut(vocabulary, scores, least, text.substr(length)));
  }
  return best;
}

// What a cut that was made costs; `ids` spell the text.
double score_of(const Vocabulary& vocabulary, const std::vector<float>& scores, double least,
                const UnigramIds& ids) {
  double sum = 0;
  std::size_t unread_bytes = 0;  // of a character that is spelled in bytes
  for (const TokenId id : ids) {
    if (!vocabulary.is_byte_fallback(id)) {
      sum += scores[id];
      continue;
    }
    if (unread_bytes == 0) {
      const auto lead = static_cast<unsigned char>(vocabulary.bytes(id)[0]);
      unread_bytes = lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
      sum += least - 10;
    }
    --unread_bytes;
  }
  return sum;
}

TEST(UnigramEncoder, TakesTheMostProbableCut) {
  ToyPieces toy;
  const TokenId a = toy.piece("a", -3), b = toy.piece("b", -3), c = toy.piece("c", -3);
  const TokenId ab = toy.piece("ab", -4), bc = toy.piece("bc", -3.5f);
  EXPECT_EQ(encode_unigram(toy, "abc"), (UnigramIds{a, bc})) << "-6.5 against -7";
  EXPECT_EQ(encode_unigram(toy, "ab"), (UnigramIds{ab}));
  EXPECT_EQ(encode_unigram(toy, "bac"), (UnigramIds{b, a, c}));
  toy.piece("abc", -9);
  EXPECT_EQ(encode_unigram(toy, "abc"), (UnigramIds{a, bc})) << "the longest token is not the best";
}

TEST(UnigramEncoder, SpellsACharacterThatIsNoTokenInBytesOrAsTheUnknownOne) {
  ToyPieces toy;
  const TokenId a = toy.piece("a", -1);
  EXPECT_EQ(encode_unigram(toy, "aé"),
            (UnigramIds{a, ToyPieces::fallback('\xC3'), ToyPieces::fallback('\xA9')}));
  ToyPieces without(false);
  const TokenId x = without.piece("x", -1);
  EXPECT_EQ(encode_unigram(without, "x日本x\xFF"), (UnigramIds{x, 0, x, 0}));
  EXPECT_EQ(encode_unigram(without, "x日x", kNoToken), (UnigramIds{x, x}));
  // With some bytes: what is spelled stands between two unknown ones.
  const TokenId bang = without.add("<0x21>", TokenType::kByte);
  EXPECT_EQ(encode_unigram(without, "日!本"), (UnigramIds{0, bang, 0}));
}

TEST(UnigramEncoder, PrefersTokensToUnknownCharacters) {
  ToyPieces toy(false);
  const TokenId a = toy.piece("a", -1), b = toy.piece("bz", -20);
  EXPECT_EQ(encode_unigram(toy, "abz"), (UnigramIds{a, b}));
}

TEST(UnigramEncoder, FindsTheBestOfAllCuts) {
  for (const bool over_words : {false, true}) {
    ToyPieces toy;
    std::mt19937 random(13);
    const std::vector<std::string> parts = {"a", "b", "e", "▁", "é", "\n"};
    for (int i = 0; i < 40; ++i) {
      std::string token = below(random, 3) == 0 ? "▁" : "";
      for (std::uint32_t left = 1 + below(random, 3); left > 0; --left) {
        const std::string& part = parts[below(random, static_cast<std::uint32_t>(parts.size()))];
        if (part != "▁" || token.ends_with("▁") || over_words) token += part;
      }
      toy.piece(token, -static_cast<float>(1 + below(random, 200)) / 8);
    }
    const VocabularySpec spec = toy.spec();
    const Vocabulary vocabulary = take(Vocabulary::make(spec));
    const UnigramEncoder encoder = take(UnigramEncoder::make(vocabulary, spec.scores, 0));
    double least = 0;
    for (TokenId id = 257; id < vocabulary.size(); ++id)
      least = std::min(least, static_cast<double>(spec.scores[id]));
    UnigramEncoder::Scratch scratch;
    for (int i = 0; i < 1500; ++i) {
      std::string text;
      for (std::uint32_t left = below(random, 10); left > 0; --left) {
        const std::string& part = parts[below(random, static_cast<std::uint32_t>(parts.size()))];
        text += part == "▁" ? " " : part;
      }
      UnigramIds ids;
      encoder.encode(text, nullptr, scratch, ids);
      std::string spelled;
      for (const TokenId id : ids) spelled += vocabulary.bytes(id);
      ASSERT_EQ(spelled, text);
      ASSERT_NEAR(score_of(vocabulary, spec.scores, least, ids),
                  best_cut(vocabulary, spec.scores, least, text), 1e-9)
          << text;
    }
  }
}

TEST(UnigramEncoder, AStopIsSeenBetweenWords) {
  ToyPieces toy;
  const VocabularySpec spec = toy.spec();
  const Vocabulary vocabulary = take(Vocabulary::make(spec));
  const UnigramEncoder encoder = take(UnigramEncoder::make(vocabulary, spec.scores, 0));
  UnigramEncoder::Scratch scratch;
  const std::atomic<bool> cancel = true;
  UnigramIds ids;
  encoder.encode("a b c", &cancel, scratch, ids);
  EXPECT_TRUE(ids.empty());
}

}  // namespace
}  // namespace emberline::testing
