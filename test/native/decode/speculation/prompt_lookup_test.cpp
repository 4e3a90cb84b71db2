// What a lookup drafts.
#include "decode/speculation/prompt_lookup.h"

#include <gtest/gtest.h>

namespace emberline::testing {
namespace {

using Tokens = std::vector<TokenId>;

class PromptLookupTest : public ::testing::Test {
 protected:
  Tokens propose(const Tokens& sequence, std::uint32_t most) {
    const Status status = lookup.propose(sequence, most, {}, nullptr, draft);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(draft.laws.empty());
    return draft.tokens;
  }
  void begin(const std::vector<Tokens>& texts = {}) {
    std::vector<ReferenceText> references;
    for (const Tokens& text : texts) {
      auto automaton = std::make_shared<SuffixAutomaton>();
      for (const TokenId token : text) automaton->extend(token);
      references.push_back(std::move(automaton));
    }
    lookup.begin(std::move(references));
  }

  PromptLookup lookup;
  DraftTokens draft;
};

TEST_F(PromptLookupTest, DraftsWhatFollowedLastTime) {
  EXPECT_EQ(propose({1, 2, 3, 4, 5, 9, 1, 2}, 3), (Tokens{3, 4, 5}));
  EXPECT_EQ(lookup.match_length(), 2u);
}

TEST_F(PromptLookupTest, DraftsNothingForWhatIsNew) {
  EXPECT_EQ(propose({1, 2, 3, 4}, 3), Tokens{});
  EXPECT_EQ(lookup.match_length(), 0u);
}

TEST_F(PromptLookupTest, TakesARepetitionToGoOn) {
  EXPECT_EQ(propose({7, 1, 2, 1, 2}, 6), (Tokens{1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(propose({7, 1, 2, 1, 2, 1}, 2), (Tokens{2, 1}));
}

TEST_F(PromptLookupTest, GoesOnFromTheSequenceOfTheLastCall) {
  EXPECT_EQ(propose({1, 2, 3}, 4), Tokens{});
  EXPECT_EQ(propose({1, 2, 3, 8, 1, 2}, 2), (Tokens{3, 8}));
  begin();
  EXPECT_EQ(propose({3, 8}, 2), Tokens{}) << "a new request knows nothing of the last one";
}

TEST_F(PromptLookupTest, PrefersTheLongerMatch) {
  begin({{5, 6, 7, 40}, {6, 7, 50}});
  EXPECT_EQ(propose({6, 7, 60, 5, 6, 7}, 1), (Tokens{40}));
  EXPECT_EQ(lookup.match_length(), 3u);
  begin({{5, 6, 7, 40}, {6, 7, 50}});
  EXPECT_EQ(propose({6, 7, 60, 9, 6, 7}, 1), (Tokens{60})) << "of equal ones the text's own";
}

TEST_F(PromptLookupTest, PrefersTheNearestText) {
  begin({{1, 2, 3}, {1, 2, 4}});
  EXPECT_EQ(propose({1, 2}, 1), (Tokens{3}));
}

TEST_F(PromptLookupTest, EndsWithTheTextItIsFrom) {
  begin({{1, 2, 3}, {8, 9}});
  EXPECT_EQ(propose({1, 2}, 5), (Tokens{3}));
  begin({{1, 2, 3}, {8, 9}});
  EXPECT_EQ(propose({2, 3}, 5), Tokens{}) << "nothing follows there";
}

}  // namespace
}  // namespace emberline::testing
