// The texts beside a prompt: read once, and no more of them than there is room for.
#include "engine/reference_texts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "take.h"
#include "tokenizer/toy_vocabulary.h"
#include "toy_pass.h"

namespace emberline::testing {
namespace {

class ReferenceTextsTest : public ::testing::Test {
 protected:
  std::vector<ReferenceText> read(const std::vector<std::string>& from, std::size_t most = 1000) {
    return first(from.size(), from, most);
  }
  std::vector<ReferenceText> first(std::size_t count, const std::vector<std::string>& from,
                                   std::size_t most = 1000) {
    return texts.read(from, count, *tokenizer, most, nullptr);
  }

  TemporaryDirectory directory;
  std::unique_ptr<GgufFile> file = open_toy({}, directory);
  std::unique_ptr<Tokenizer> tokenizer = take(Tokenizer::from_gguf(*file));
  ReferenceTexts texts;
};

TEST_F(ReferenceTextsTest, AreTheTokensOfTheTexts) {
  const std::vector<ReferenceText> all = read({"return x", "foo"});
  ASSERT_EQ(all.size(), 2u);
  const std::vector<TokenId> expected = tokenizer->encode("return x", false);
  const std::span<const TokenId> sequence = all[0]->sequence();
  EXPECT_EQ(std::vector<TokenId>(sequence.begin(), sequence.end()), expected);
}

TEST_F(ReferenceTextsTest, AreReadOnce) {
  const std::vector<ReferenceText> before = read({"one", "two", "three"});
  const std::vector<ReferenceText> after = read({"zero", "one", "three"});
  EXPECT_EQ(after[1], before[0]);
  EXPECT_EQ(after[2], before[2]);
}

TEST_F(ReferenceTextsTest, AreThoseOfAllWhereTheFirstAreReadBefore) {
  const std::vector<std::string> from = {"one", "two", "three", "four"};
  const std::vector<ReferenceText> some = first(2, from, 10);
  EXPECT_EQ(some.size(), 2u);
  const std::vector<ReferenceText> all = read(from, 10);
  ASSERT_EQ(all.size(), 3u) << "the third takes the room that the first two left";
  EXPECT_EQ(all[0], some[0]);
  EXPECT_EQ(all[1], some[1]);
  EXPECT_EQ(all[2]->sequence().size(), 10 - all[0]->sequence().size() - all[1]->sequence().size());
  EXPECT_EQ(first(9, from, 10), all);
}

TEST_F(ReferenceTextsTest, AreKeptWhileTheyAreAmongThoseBehind) {
  const std::vector<ReferenceText> before = read({"one", "two", "three"});
  EXPECT_EQ(first(1, {"zero", "one", "three"}).size(), 1u);
  const std::vector<ReferenceText> after = read({"zero", "one", "three"});
  ASSERT_EQ(after.size(), 3u);
  EXPECT_EQ(after[1], before[0]);
  EXPECT_EQ(after[2], before[2]);
}

TEST_F(ReferenceTextsTest, EndWhereTheRoomDoes) {
  const std::vector<ReferenceText> all = read({"abcdef", "ghijkl", "mnopqr"}, 8);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]->sequence().size() + all[1]->sequence().size(), 8u);
  // With more room a text that was cut is read again.
  EXPECT_EQ(read({"abcdef", "ghijkl", "mnopqr"}, 100).size(), 3u);
  EXPECT_EQ(read({"abcdef", "ghijkl"}, 100)[1]->sequence().size(), tokenizer->encode("ghijkl", false).size());
}

// Eight bytes for each token there is room for are looked at: of these whole lines.
TEST_F(ReferenceTextsTest, AreCutBehindALine) {
  ToyVocabulary toy;
  const std::string word(20, 'w');
  const TokenId token = toy.add(word, TokenType::kUserDefined);
  tokenizer = take(Tokenizer::from_vocabulary(toy.spec()));
  const std::string line = word + word + "\n";
  const std::vector<ReferenceText> all = read({line + line + line}, 10);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(std::ranges::equal(all[0]->sequence(), std::vector<TokenId>{token, token, '\n'}));
}

TEST_F(ReferenceTextsTest, StayAsTheyWereCutWhileTheOnesBeforeGrowALittle) {
  const std::string longer(5000, 'x');
  const std::vector<ReferenceText> before = read({"one", longer}, 3000);
  ASSERT_EQ(before.size(), 2u);
  EXPECT_EQ(before[1]->sequence().size() % 1024, 0u);
  const std::vector<ReferenceText> after = read({"one and two", longer}, 3000);
  EXPECT_NE(after[0], before[0]);
  EXPECT_EQ(after[1], before[1]);
}

TEST_F(ReferenceTextsTest, AreLeftAloneOnceCancelled) {
  const std::atomic<bool> cancel = true;
  EXPECT_TRUE(texts.read(std::vector<std::string>{"one"}, 1, *tokenizer, 100, &cancel).empty());
}

// Wherever the cancel falls: before, within a text, behind.
TEST_F(ReferenceTextsTest, AreNeverReadInPart) {
  std::string lines;
  while (lines.size() < 20'000) lines += "return foo(x);\n";
  const std::vector<std::string> from = {lines};
  const std::size_t whole = tokenizer->encode(lines, false).size();
  for (int round = 0; round < 40; ++round) {
    ReferenceTexts fresh;
    std::atomic<bool> cancel = false;
    std::atomic<int> turns = 2000 * round;
    std::thread other([&] {
      while (--turns > 0) {
      }
      cancel = true;
    });
    const std::vector<ReferenceText> cut = fresh.read(from, 1, *tokenizer, whole + 1, &cancel);
    other.join();
    for (const ReferenceText& text : cut) EXPECT_EQ(text->sequence().size(), whole);
    const std::vector<ReferenceText> again = fresh.read(from, 1, *tokenizer, whole + 1, nullptr);
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(again[0]->sequence().size(), whole);
  }
}

}  // namespace
}  // namespace emberline::testing
