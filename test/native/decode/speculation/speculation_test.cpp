// Which draft is verified, and what is learnt from it.
#include "decode/speculation/speculation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "take.h"

namespace emberline::testing {
namespace {

using Tokens = std::vector<TokenId>;

// Drafts what it is told to.
class ScriptedDraft final : public Draft {
 public:
  Status propose(std::span<const TokenId>, std::uint32_t most, const SamplingParams&,
                 const std::atomic<bool>*, DraftTokens& out) override {
    ++asked;
    out.clear();
    out.tokens = says;
    out.tokens.resize(std::min<std::size_t>(most, says.size()));
    return {};
  }
  std::size_t unread(std::span<const TokenId>) const override { return to_read; }

  Tokens says;
  std::size_t to_read = 0;
  int asked = 0;
};

constexpr DraftLimits kLimits{.most = 8, .room = 40, .vocabulary = 1000};
const Tokens kRepeating = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5};

TEST(Speculation, LearnsThatTheModelEndedWhereADraftWentOn) {
  Speculation speculation;
  speculation.begin({.lookup = true, .adaptive = false}, {}, true);
  const DraftTokens* draft = take(speculation.propose(kRepeating, kLimits));
  ASSERT_FALSE(draft->tokens.empty());
  const DraftKind kind = DraftKind::lookup(5);
  const double before = speculation.plan().acceptance(kind);
  // Another token came in the place of the first, and it ended the text.
  speculation.verified(0, 1, 3);
  const double learnt = speculation.plan().acceptance(kind);
  EXPECT_LT(learnt, before);
  // In another request it counts, in other text for less.
  speculation.begin({.lookup = true}, {}, false);
  EXPECT_EQ(speculation.plan().acceptance(kind), learnt);
  speculation.begin({.lookup = true}, {}, true);
  EXPECT_GT(speculation.plan().acceptance(kind), learnt);
}

TEST(Speculation, DoesNotTakeTheEndOfATextForAMistake) {
  Speculation speculation;
  speculation.begin({.lookup = true, .adaptive = false}, {}, true);
  take(speculation.propose(kRepeating, kLimits));
  const double before = speculation.plan().acceptance(DraftKind::lookup(5));
  // Two were right, and the second ended the text.
  speculation.verified(2, 2, 3);
  EXPECT_GT(speculation.plan().acceptance(DraftKind::lookup(5)), before);
}

TEST(Speculation, CountsTheTimeThatBatchesSaved) {
  Speculation speculation;
  speculation.begin({.lookup = true}, {}, true);
  EXPECT_TRUE(take(speculation.propose(Tokens{0}, kLimits))->tokens.empty()) << "no step was timed yet";
  Tokens sequence;
  for (TokenId token = 0; token < 60; ++token) sequence.push_back(token % 40);
  ASSERT_TRUE(speculation.stepped(sequence, 0, 1, 10).ok());
  const std::size_t drafted = take(speculation.propose(sequence, kLimits))->tokens.size();
  ASSERT_GT(drafted, 2u) << "twenty tokens in a row stood there before";
  speculation.verified(2, 3, 14);
  EXPECT_DOUBLE_EQ(speculation.counts().saved_ms, 3 * 10 - 14);
  EXPECT_EQ(speculation.counts().accepted, 2u);
}

TEST(Speculation, KeepsALookupWhereTheDraftModelHasNoGuess) {
  ScriptedDraft model;
  Speculation speculation(&model);
  speculation.begin({.lookup = true, .model = true}, {}, true);
  ASSERT_TRUE(speculation.stepped(kRepeating, 0, 1, 10).ok());
  for (int round = 0; round < 3; ++round) {
    EXPECT_FALSE(take(speculation.propose(kRepeating, kLimits))->tokens.empty());
  }
  EXPECT_LE(model.asked, 1) << "one that has nothing to say is not asked again";
}

TEST(Speculation, AsksADraftModelOnlyWhereReadingPays) {
  ScriptedDraft model;
  model.says = {1, 2, 3};
  Speculation speculation(&model);
  speculation.begin({.model = true}, {}, true);
  const Tokens sequence = {7};
  ASSERT_TRUE(speculation.stepped(sequence, 1, 1, 10).ok());
  model.to_read = 100'000;
  EXPECT_TRUE(take(speculation.propose(sequence, kLimits))->tokens.empty());
  model.to_read = 1;
  EXPECT_FALSE(take(speculation.propose(sequence, kLimits))->tokens.empty());
}

TEST(Speculation, LooksUpInTextsThatAreReadWhenTheyAreNeeded) {
  int read = 0;
  const auto references = [&] {
    ++read;
    auto text = std::make_shared<SuffixAutomaton>();
    for (const TokenId token : {20u, 21u, 22u, 23u, 24u}) text->extend(token);
    return std::vector<ReferenceText>{text};
  };
  Speculation speculation;
  speculation.begin({.lookup = true, .adaptive = false}, {}, true, references);
  EXPECT_EQ(read, 0);
  const Tokens sequence = {20, 21, 22};
  EXPECT_EQ(take(speculation.propose(sequence, kLimits))->tokens, (Tokens{23, 24}));
  take(speculation.propose(sequence, kLimits));
  EXPECT_EQ(read, 1);
}

// One that forces more than it was asked for, and what no vocabulary has.
class BoastfulConstraint final : public Constraint {
 public:
  Status mask(std::span<float>) override { return {}; }
  void advance(TokenId) override {}
  std::size_t admitted(std::span<const TokenId> tokens) override { return std::min(tokens.size(), admits); }
  void forced(std::uint32_t, std::vector<TokenId>& out) override { out = says; }
  Tokens says;
  std::size_t admits = 100;
};

TEST(Speculation, ChecksWhatAConstraintForces) {
  BoastfulConstraint constraint;
  DraftLimits limits = kLimits;
  limits.constraint = &constraint;
  Speculation speculation;
  speculation.begin({}, {}, true);
  constraint.says.assign(100, 5);
  EXPECT_EQ(take(speculation.propose(kRepeating, limits))->tokens.size(), limits.most);
  constraint.says = {5, 1000, 6};
  EXPECT_EQ(take(speculation.propose(kRepeating, limits))->tokens, (Tokens{5}));
}

TEST(Speculation, VerifiesLessOfWhatAModelSplitsInAnotherWay) {
  BoastfulConstraint constraint;
  constraint.says = {5, 6, 7};
  DraftLimits limits = kLimits;
  limits.constraint = &constraint;
  Speculation speculation;
  speculation.begin({}, {}, true);
  Tokens sequence = kRepeating;
  const auto drafted = [&] { return take(speculation.propose(sequence, limits))->tokens.size(); };
  ASSERT_TRUE(speculation.stepped(sequence, 0, 1, 10).ok());
  EXPECT_EQ(drafted(), 3u);
  // A batch takes three steps and gives one token.
  for (int times = 0; times < 20 && drafted() > 0; ++times) speculation.verified(0, 1, 30);
  EXPECT_EQ(drafted(), 0u);
  // What plain steps choose counts, until it is what was forced.
  for (int times = 0; times < 100; ++times) {
    if (drafted() > 0) break;
    sequence.push_back(5);
    ASSERT_TRUE(speculation.stepped(sequence, 1, 1, 10).ok());
  }
  EXPECT_GT(drafted(), 0u);
}

TEST(Speculation, LearnsOfWhatIsForcedWhereALookupGuessesAsWell) {
  BoastfulConstraint constraint;
  constraint.says = {5};
  DraftLimits limits = kLimits;
  limits.constraint = &constraint;
  Speculation speculation;
  speculation.begin({.lookup = true}, {}, true);
  ASSERT_TRUE(speculation.stepped(kRepeating, 0, 1, 10).ok());
  const DraftKind forced = DraftKind::forced();
  while (speculation.plan().choose(forced, 1) > 0) {
    ASSERT_EQ(take(speculation.propose(kRepeating, limits))->tokens, (Tokens{5}));
    speculation.verified(0, 1, 30);
  }
  take(speculation.propose(kRepeating, limits));
  const double before = speculation.plan().acceptance(forced);
  const double looked_up = speculation.plan().acceptance(DraftKind::lookup(5));
  // The lookup says 6.
  Tokens sequence = kRepeating;
  sequence.push_back(5);
  ASSERT_TRUE(speculation.stepped(sequence, 1, 1, 10).ok());
  EXPECT_GT(speculation.plan().acceptance(forced), before);
  EXPECT_LT(speculation.plan().acceptance(DraftKind::lookup(5)), looked_up);
}

TEST(Speculation, CutsLookupsThatAConstraintForbids) {
  BoastfulConstraint constraint;
  DraftLimits limits = kLimits;
  limits.constraint = &constraint;
  Speculation speculation;
  speculation.begin({.lookup = true, .adaptive = false}, {}, true);
  const Tokens whole = take(speculation.propose(kRepeating, limits))->tokens;
  ASSERT_GT(whole.size(), 2u);
  constraint.admits = 2;
  EXPECT_EQ(take(speculation.propose(kRepeating, limits))->tokens, Tokens(whole.begin(), whole.begin() + 2));
  constraint.admits = 0;
  EXPECT_TRUE(take(speculation.propose(kRepeating, limits))->tokens.empty());
}

}  // namespace
}  // namespace emberline::testing
