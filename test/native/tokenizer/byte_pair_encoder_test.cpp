#include "tokenizer/byte_pair_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tokenizer/random_text.h"
#include "tokenizer/toy_vocabulary.h"
#include "tokenizer/vocabulary.h"

namespace emberline {
namespace {

using Ids = std::vector<TokenId>;
using testing::ToyVocabulary;

// An encoder with what it refers to.
struct Encoder {
  explicit Encoder(const ToyVocabulary& toy, bool ignores_merges = false)
      : vocabulary(Vocabulary::make(toy.spec()).value()),
        encoder(BytePairEncoder::make(vocabulary, toy.spec().merges, ignores_merges).value()) {}
  Encoder(const Encoder&) = delete;

  Ids operator()(std::string_view piece) {
    Ids ids;
    encoder.encode(piece, scratch, ids);
    return ids;
  }

  Vocabulary vocabulary;
  BytePairEncoder encoder;
  BytePairScratch scratch;
};

// The algorithm as the paper states it: look for the best pair everywhere, merge it where it stands first,
// start over.
Ids encode_slowly(const Vocabulary& vocabulary,
                  const std::vector<std::pair<std::string, std::string>>& merges, std::string_view piece) {
  std::map<std::pair<std::string, std::string>, std::size_t> ranks;
  for (std::size_t i = 0; i < merges.size(); ++i) ranks.emplace(merges[i], i);
  std::vector<std::string> parts;
  for (const char c : piece) parts.emplace_back(1, c);
  while (true) {
    std::size_t best = merges.size();
    std::size_t where = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto rank = ranks.find({parts[i], parts[i + 1]});
      if (rank != ranks.end() && rank->second < best) {
        best = rank->second;
        where = i;
      }
    }
    if (best == merges.size()) break;
    parts[where] += parts[where + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(where) + 1);
  }
  Ids ids;
  for (const std::string& part : parts) ids.push_back(vocabulary.find_normal(part));
  return ids;
}

TEST(BytePairEncoder, AppliesTheMostImportantMergeFirst) {
  ToyVocabulary toy;
  const TokenId bc = toy.merge("b", "c");
  const TokenId ab = toy.merge("a", "b");
  const TokenId abc = toy.merge("ab", "c");
  Encoder encode(toy);
  EXPECT_EQ(encode("ab"), (Ids{ab}));
  EXPECT_EQ(encode("abc"), (Ids{'a', bc}));  // b c goes before a b, and nothing makes a bc
  EXPECT_EQ(encode("abab"), (Ids{ab, ab}));
  EXPECT_EQ(encode("x"), (Ids{'x'}));
  EXPECT_NE(encode("abc"), (Ids{abc}));
  EXPECT_EQ(encode("abc"),
            (Ids{'a', bc}));  // the second time as the first: the answer about the whole token is kept
}

TEST(BytePairEncoder, OfEqualMergesTheLeftmostGoesFirst) {
  ToyVocabulary toy;
  const TokenId aa = toy.merge("a", "a");
  Encoder encode(toy);
  EXPECT_EQ(encode("aaa"), (Ids{aa, 'a'}));
  EXPECT_EQ(encode("aaaaa"), (Ids{aa, aa, 'a'}));
}

TEST(BytePairEncoder, IgnoringMergesTakesATokenWhole) {
  ToyVocabulary toy;
  const TokenId bc = toy.merge("b", "c");
  const TokenId abc = toy.add("abc", TokenType::kNormal);
  toy.add("xyz", TokenType::kControl);
  Encoder encode(toy, true);
  EXPECT_EQ(encode("abc"), (Ids{abc}));
  EXPECT_EQ(encode("abcd"), (Ids{'a', bc, 'd'}));
  EXPECT_EQ(encode("xyz"), (Ids{'x', 'y', 'z'}));  // a control token is no text
}

TEST(BytePairEncoder, AgreesWithTheSlowAlgorithm) {
  std::mt19937 random(42);
  for (int round = 0; round < 30; ++round) {
    ToyVocabulary toy;
    std::vector<std::string> known = {"a", "b", "c", " "};
    std::set<std::string> made(known.begin(), known.end());
    std::vector<std::pair<std::string, std::string>> merges;
    while (merges.size() < 40) {
      const std::string left = known[testing::below(random, static_cast<std::uint32_t>(known.size()))];
      const std::string right = known[testing::below(random, static_cast<std::uint32_t>(known.size()))];
      if (!made.insert(left + right).second) continue;
      toy.merge(left, right);
      known.push_back(left + right);
      merges.emplace_back(left, right);
    }
    std::shuffle(merges.begin(), merges.end(), random);  // ranks need not grow with length
    VocabularySpec spec = toy.spec();
    std::vector<std::string> texts;
    for (const auto& [left, right] : merges)
      texts.push_back(testing::spelled(left) + " " + testing::spelled(right));
    spec.merges.assign(texts.begin(), texts.end());

    const Vocabulary vocabulary = Vocabulary::make(spec).value();
    const BytePairEncoder encoder = BytePairEncoder::make(vocabulary, spec.merges, false).value();
    BytePairScratch scratch;
    for (int piece_index = 0; piece_index < 100; ++piece_index) {
      std::string piece;
      const std::uint32_t length = 1 + testing::below(random, 60);
      while (piece.size() < length) piece += "abc d"[testing::below(random, 5)];
      Ids ids;
      encoder.encode(piece, scratch, ids);
      ASSERT_EQ(ids, encode_slowly(vocabulary, merges, piece)) << piece;
    }
  }
}

TEST(BytePairEncoder, WorkGrowsWithTheLengthAlone) {
  ToyVocabulary toy;
  std::string run = "a";
  for (int i = 0; i < 8; ++i, run += run) toy.merge(run, run);
  toy.merge("b", "c");
  toy.merge("c", "b");
  toy.merge("bc", "bc");
  Encoder encode(toy);
  for (const std::string_view unit : {"a", "bc", "aab", "bcb"}) {
    std::string piece;
    while (piece.size() < 200'000) piece += unit;
    encode.scratch.steps = 0;
    encode(piece);
    // At most one entry a neighbouring pair, and two for each of the fewer than n merges.
    EXPECT_LE(encode.scratch.steps, 3 * piece.size()) << unit;
    EXPECT_GT(encode.scratch.steps, 0u);
  }
}

TEST(BytePairEncoder, LeavesOutBytesWithoutAToken) {
  ToyVocabulary toy;
  toy.merge("a", "b");
  VocabularySpec spec = toy.spec();
  spec.types['q'] = TokenType::kUnused;
  const Vocabulary vocabulary = Vocabulary::make(spec).value();
  const BytePairEncoder encoder = BytePairEncoder::make(vocabulary, spec.merges, false).value();
  BytePairScratch scratch;
  Ids ids;
  encoder.encode("qaqbqq", scratch, ids);
  EXPECT_EQ(ids, (Ids{'a', 'b'}));  // and what stood on either side does not merge across
}

TEST(BytePairEncoder, ToleratesRepeatedAndIdleMerges) {
  ToyVocabulary toy;
  const TokenId ab = toy.merge("a", "b");
  const TokenId bc = toy.merge("b", "c");
  toy.add_merge("a b");
  toy.add_merge("x nothing");
  toy.add_merge("\xE6\x97\xA5 b");  // no spelling of bytes
  Encoder encode(toy);
  EXPECT_EQ(encode("abc"), (Ids{ab, 'c'}));
  EXPECT_EQ(encode("xbc"), (Ids{'x', bc}));
}

TEST(BytePairEncoder, RefusesMergesThatAreNoPairs) {
  for (const char* merge : {"", "ab", " ab", "ab ", " "}) {
    ToyVocabulary toy;
    toy.add_merge(merge);
    const Vocabulary vocabulary = Vocabulary::make(toy.spec()).value();
    const auto encoder = BytePairEncoder::make(vocabulary, toy.spec().merges, false);
    EXPECT_EQ(encoder.code(), ErrorCode::kModelMetadataInvalid) << merge;
  }
}

}  // namespace
}  // namespace emberline
