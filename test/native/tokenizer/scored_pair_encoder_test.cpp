#include "tokenizer/scored_pair_encoder.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "take.h"
#include "tokenizer/random_text.h"
#include "tokenizer/toy_vocabulary.h"

namespace emberline::testing {
namespace {

using ScoredIds = std::vector<TokenId>;

ScoredIds encode_scored(const ToyPieces& toy, std::string_view text, TokenId unknown = 0) {
  const VocabularySpec spec = toy.spec();
  const Vocabulary vocabulary = take(Vocabulary::make(spec));
  const ScoredPairEncoder encoder = take(ScoredPairEncoder::make(vocabulary, spec.scores, unknown));
  ScoredPairEncoder::Scratch scratch;
  ScoredIds ids;
  encoder.encode(text, nullptr, scratch, ids);
  return ids;
}

// As the paper has it: look at all neighbours, join the best two, start over.
ScoredIds encode_scored_slowly(const Vocabulary& vocabulary, const std::vector<float>& scores,
                               std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Unit unit = read_utf8(text, at);
    parts.emplace_back(text.substr(at, unit.sequence == Utf8Sequence::kValid ? unit.length : 1));
    at += parts.back().size();
  }
  while (true) {
    std::size_t where = parts.size();
    float best = -std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const TokenId token = vocabulary.find_normal(parts[i] + parts[i + 1]);
      if (token == kNoToken || scores[token] <= best) continue;
      best = scores[token];
      where = i;
    }
    if (where == parts.size()) break;
    parts[where] += parts[where + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(where) + 1);
  }
  ScoredIds ids;
  for (const std::string& part : parts) {
    const TokenId token = vocabulary.find_normal(part);
    if (token != kNoToken) ids.push_back(token);
    for (const char c : token == kNoToken ? part : std::string()) ids.push_back(ToyPieces::fallback(c));
  }
  return ids;
}

TEST(ScoredPairEncoder, JoinsTheBestNeighboursFirst) {
  ToyPieces toy;
  const TokenId a = toy.piece("a", -10), c = toy.piece("c", -10);
  const TokenId ab = toy.piece("ab", -2), bc = toy.piece("bc", -1);
  EXPECT_EQ(encode_scored(toy, "abc"), (ScoredIds{a, bc}));
  EXPECT_EQ(encode_scored(toy, "abab"), (ScoredIds{ab, ab}));
  EXPECT_EQ(encode_scored(toy, "c"), (ScoredIds{c}));
  const TokenId aa = toy.piece("aa", -3);
  EXPECT_EQ(encode_scored(toy, "aaa"), (ScoredIds{aa, a})) << "the leftmost of equal ones";
}

TEST(ScoredPairEncoder, JoinsCharactersThatAreNoTokensThemselves) {
  ToyPieces toy;
  const TokenId word = toy.piece("日本", -1);
  EXPECT_EQ(encode_scored(toy, "日本"), (ScoredIds{word}));
  EXPECT_EQ(encode_scored(toy, "本"), (ScoredIds{ToyPieces::fallback('\xE6'), ToyPieces::fallback('\x9C'),
                                                 ToyPieces::fallback('\xAC')}));
}

TEST(ScoredPairEncoder, ASpaceIsTheOneOfTheVocabulary) {
  ToyPieces toy;
  const TokenId space = toy.piece("▁", -5), word = toy.piece("▁a", -1), a = toy.piece("a", -9);
  EXPECT_EQ(encode_scored(toy, " a  aa"), (ScoredIds{word, space, word, a}));
  // The character that stands for it in the file is a character as all others.
  EXPECT_EQ(encode_scored(toy, "▁"), (ScoredIds{ToyPieces::fallback('\xE2'), ToyPieces::fallback('\x96'),
                                                ToyPieces::fallback('\x81')}));
}

TEST(ScoredPairEncoder, WithoutBytesWhatIsUnknownIsOneToken) {
  ToyPieces toy(false);
  const TokenId a = toy.piece("a", -1), space = toy.piece("▁", -2);
  EXPECT_EQ(encode_scored(toy, "a日本a \xFFx"), (ScoredIds{a, 0, a, space, 0}));
  EXPECT_EQ(encode_scored(toy, "a日a", kNoToken), (ScoredIds{a, a}));
  // With some bytes: what is spelled stands between two unknown ones.
  const TokenId bang = toy.add("<0x21>", TokenType::kByte);
  EXPECT_EQ(encode_scored(toy, "日!本"), (ScoredIds{0, bang, 0}));
}

TEST(ScoredPairEncoder, EqualsTheAlgorithmOfThePaper) {
  for (const bool over_words : {false, true}) {
    ToyPieces toy;
    std::mt19937 random(11);
    const std::vector<std::string> parts = {"a", "b", "e", "r", "▁", "日", "é", ".", "\n"};
    for (const std::string& part : parts) toy.piece(part, -1000);
    for (int i = 0; i < 300; ++i) {
      std::string token = below(random, 3) == 0 ? "▁" : "";
      for (std::uint32_t left = 1 + below(random, 4); left > 0; --left) {
        const std::string& part = parts[below(random, static_cast<std::uint32_t>(parts.size()))];
        if (part != "▁" || token.ends_with("▁") || over_words) token += part;
      }
      toy.piece(token, -static_cast<float>(below(random, 60)));  // many are equal
    }
    const VocabularySpec spec = toy.spec();
    const Vocabulary vocabulary = take(Vocabulary::make(spec));
    const ScoredPairEncoder encoder = take(ScoredPairEncoder::make(vocabulary, spec.scores, 0));
    ScoredPairEncoder::Scratch scratch;
    for (int i = 0; i < 4000; ++i) {
      std::string text;
      for (std::uint32_t left = below(random, 40); left > 0; --left) {
        const std::string& part = parts[below(random, static_cast<std::uint32_t>(parts.size()))];
        text += part == "▁" ? " " : part;
        if (below(random, 50) == 0) text.push_back(static_cast<char>(below(random, 256)));
      }
      ScoredIds ids;
      encoder.encode(text, nullptr, scratch, ids);
      ASSERT_EQ(ids, encode_scored_slowly(vocabulary, spec.scores, text)) << text;
    }
  }
}

TEST(ScoredPairEncoder, RefusesWhatAreNoScores) {
  ToyPieces toy;
  VocabularySpec spec = toy.spec();
  const Vocabulary vocabulary = take(Vocabulary::make(spec));
  spec.scores[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(ScoredPairEncoder::make(vocabulary, spec.scores, 0).code(), ErrorCode::kModelMetadataInvalid);
  spec.scores.pop_back();
  EXPECT_EQ(ScoredPairEncoder::make(vocabulary, spec.scores, 0).code(), ErrorCode::kModelMetadataInvalid);
}

}  // namespace
}  // namespace emberline::testing
