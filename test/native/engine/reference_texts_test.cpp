// The texts beside a prompt: read once, and no more of them than there is room for.
#include "engine/reference_texts.h"

#include <gtest/gtest.h>

#include "take.h"
#include "toy_pass.h"

namespace emberline::testing {
namespace {

class ReferenceTextsTest : public ::testing::Test {
 protected:
  std::vector<ReferenceText> read(const std::vector<std::string>& from, std::size_t most = 1000) {
    return texts.read(from, *tokenizer, most, nullptr);
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

TEST_F(ReferenceTextsTest, EndWhereTheRoomDoes) {
  const std::vector<ReferenceText> all = read({"abcdef", "ghijkl", "mnopqr"}, 8);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]->sequence().size() + all[1]->sequence().size(), 8u);
  // With more room a text that was cut is read again.
  EXPECT_EQ(read({"abcdef", "ghijkl", "mnopqr"}, 100).size(), 3u);
  EXPECT_EQ(read({"abcdef", "ghijkl"}, 100)[1]->sequence().size(), tokenizer->encode("ghijkl", false).size());
}

TEST_F(ReferenceTextsTest, AreLeftAloneOnceCancelled) {
  const std::atomic<bool> cancel = true;
  EXPECT_TRUE(texts.read(std::vector<std::string>{"one"}, *tokenizer, 100, &cancel).empty());
}

}  // namespace
}  // namespace emberline::testing
