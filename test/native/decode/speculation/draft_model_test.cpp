// A second model's drafts: what it says, what it reads again, and when it says nothing.
#include "decode/speculation/draft_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>

#include "device/cpu/cpu_device.h"
#include "forwarding_device.h"
#include "sampling/random.h"
#include "toy_pass.h"

namespace emberline::testing {
namespace {

// Counts the rows that are evaluated, and sets a flag when there were as many as asked for.
class CountingDevice final : public ForwardingDevice {
 public:
  CountingDevice() : ForwardingDevice(take(make_cpu_device({.threads = 1}))) {}

  std::size_t rows = 0;
  std::atomic<bool>* flag = nullptr;
  std::size_t flag_at = 0;

 protected:
  Result<ReplayOutcome> run(const DispatchTable& table, const Replay& request) override {
    const Result<ReplayOutcome> outcome = ForwardingDevice::run(table, request);
    if (outcome.ok()) rows += std::size_t{request.rows} * outcome.value().steps_completed;
    if (flag != nullptr && rows >= flag_at) *flag = true;
    return outcome;
  }
};

struct Drafting {
  explicit Drafting(const ToyModel& model = {}, std::uint32_t context = 64,
                    std::uint32_t vocabulary = 1u << 20)
      : toy(model, context, std::make_unique<CountingDevice>()),
        draft(take(DraftModel::create(take(ForwardPass::create(toy.on_device(), context)), vocabulary,
                                      best_sampling_kernels()))) {}

  CountingDevice& device() { return static_cast<CountingDevice&>(*toy.device); }
  DraftTokens propose(const std::vector<TokenId>& sequence, std::uint32_t most,
                      const SamplingParams& sampling = {}, const std::atomic<bool>* cancel = nullptr) {
    DraftTokens out;
    const Status status = draft->propose(sequence, most, sampling, cancel, out);
    EXPECT_TRUE(status.ok()) << status.message();
    return out;
  }
  std::vector<TokenId> greedy_from(std::vector<TokenId> sequence, std::size_t count) {
    std::vector<TokenId> made;
    while (made.size() < count) {
      const std::vector<float> logits = toy.prefill(sequence);
      made.push_back(static_cast<TokenId>(std::max_element(logits.begin(), logits.end()) - logits.begin()));
      sequence.push_back(made.back());
    }
    return made;
  }

  ToyPass toy;
  std::unique_ptr<DraftModel> draft;
};

std::vector<TokenId> followed_by(std::vector<TokenId> sequence, std::span<const TokenId> tokens) {
  sequence.insert(sequence.end(), tokens.begin(), tokens.end());
  return sequence;
}

constexpr SamplingParams kSampled{.temperature = 0.9f, .top_k = 20, .seed = 11};

TEST(DraftModel, GreedyDraftsAreTheModelsOwnText) {
  Drafting drafting;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const std::vector<TokenId> sequence = random_tokens(9, 256, seed);
    const DraftTokens drafted = drafting.propose(sequence, 7);
    EXPECT_EQ(drafted.tokens, drafting.greedy_from(sequence, 7));
    EXPECT_TRUE(drafted.laws.empty()) << "nothing was drawn";
  }
}

TEST(DraftModel, APenaltyAppliesToGreedyDrafts) {
  Drafting drafting;
  const std::vector<TokenId> sequence = random_tokens(9, 256, 1);
  DraftTokens drafted = drafting.propose(sequence, 12, {.repeat_penalty = 1e6f, .penalty_window = 1000});
  ASSERT_EQ(drafted.tokens.size(), 12u);
  EXPECT_TRUE(drafted.laws.empty());
  std::vector<TokenId> all = followed_by(sequence, drafted.tokens);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end()) << "a token came twice under a crushing penalty";
}

TEST(DraftModel, SampledDraftsAreDrawnFromTheLawsTheyComeWith) {
  Drafting drafting;
  Sampler sampler;
  std::vector<TokenId> sequence = random_tokens(9, 256, 2);
  const DraftTokens drafted = drafting.propose(sequence, 6, kSampled);
  ASSERT_EQ(drafted.tokens.size(), 6u);
  ASSERT_EQ(drafted.laws.size(), 6u);
  for (std::size_t i = 0; i < drafted.tokens.size(); ++i) {
    Distribution law;
    const std::vector<float> logits = drafting.toy.prefill(sequence);
    ASSERT_TRUE(sampler.distribution(logits, sequence, kSampled, law).ok());
    EXPECT_EQ(drafted.laws[i].tokens, law.tokens);
    EXPECT_EQ(drafted.laws[i].masses, law.masses);
    EXPECT_EQ(drafted.laws[i].total, law.total);
    EXPECT_EQ(drafted.tokens[i],
              draw_from(law, random_uniform(kSampled.seed, sequence.size(), RandomStream::kDraft)));
    sequence.push_back(drafted.tokens[i]);
  }
}

// Each token is evaluated once, however drafts fare.
TEST(DraftModel, OnlyWhatChangedIsReadAgain) {
  for (const SamplingParams& sampling : {SamplingParams{}, kSampled}) {
    Drafting drafting;
    const std::vector<TokenId> prompt = random_tokens(20, 256, 3);
    const DraftTokens first = drafting.propose(prompt, 5, sampling);
    EXPECT_EQ(first.tokens_read, 19u);
    EXPECT_EQ(drafting.device().rows, 19u + 5u);

    // Two of the five are right, the third is another.
    std::vector<TokenId> sequence = followed_by(prompt, std::span(first.tokens).first(2));
    sequence.push_back((first.tokens[2] + 1) % 256);
    drafting.device().rows = 0;
    const DraftTokens second = drafting.propose(sequence, 5, sampling);
    EXPECT_EQ(second.tokens_read, 0u);
    EXPECT_EQ(drafting.device().rows, 5u);
    EXPECT_EQ(second.tokens, Drafting().propose(sequence, 5, sampling).tokens);

    // All are right, and a bonus came behind them: the last of the draft was not evaluated yet.
    sequence = followed_by(sequence, second.tokens);
    sequence.push_back(7);
    drafting.device().rows = 0;
    const DraftTokens third = drafting.propose(sequence, 5, sampling);
    EXPECT_EQ(third.tokens_read, 1u);
    EXPECT_EQ(drafting.device().rows, 1u + 5u);
    EXPECT_EQ(third.tokens, Drafting().propose(sequence, 5, sampling).tokens);
  }
}

TEST(DraftModel, ACancelEndsTheDraftAndLeavesTheCacheRight) {
  for (const SamplingParams& sampling : {SamplingParams{}, kSampled}) {
    const std::vector<TokenId> sequence = random_tokens(20, 256, 4);
    const DraftTokens whole = Drafting().propose(sequence, 8, sampling);
    std::atomic<bool> cancel{true};
    Drafting drafting;
    EXPECT_TRUE(drafting.propose(sequence, 8, sampling, &cancel).tokens.empty());
    for (const std::size_t rows : {5u, 19u, 21u, 24u}) {
      cancel = false;
      Drafting cut;
      cut.device().flag = &cancel;
      cut.device().flag_at = rows;
      const DraftTokens part = cut.propose(sequence, 8, sampling, &cancel);
      ASSERT_LE(part.tokens.size(), whole.tokens.size());
      EXPECT_TRUE(std::equal(part.tokens.begin(), part.tokens.end(), whole.tokens.begin()));
      EXPECT_EQ(part.laws.size(), sampling.greedy() ? 0 : part.tokens.size());
      cut.device().flag = nullptr;
      EXPECT_EQ(cut.propose(sequence, 8, sampling).tokens, whole.tokens) << "cancelled at row " << rows;
    }
  }
}

TEST(DraftModel, DraftsAsManyAsItsContextHolds) {
  for (const SamplingParams& sampling : {SamplingParams{}, kSampled}) {
    Drafting drafting({}, 70);
    for (std::size_t length = 64; length <= 72; ++length) {
      const DraftTokens drafted = drafting.propose(random_tokens(length, 256, 5), 4, sampling);
      EXPECT_EQ(drafted.tokens.size(), length > 70 ? 0 : std::min<std::size_t>(4, 71 - length)) << length;
    }
    EXPECT_TRUE(drafting.propose({}, 4, sampling).tokens.empty());
    EXPECT_TRUE(drafting.propose({1, 2}, 0, sampling).tokens.empty());
  }
}

TEST(DraftModel, SaysNothingBehindATokenItDoesNotKnow) {
  Drafting drafting;
  const std::uint32_t vocabulary = drafting.toy.hyperparameters.vocabulary;
  EXPECT_TRUE(drafting.propose({1, vocabulary, 2}, 4).tokens.empty());
  EXPECT_FALSE(drafting.propose({1, vocabulary - 1, 2}, 4).tokens.empty());
}

// A target may have fewer rows than the draft: of those behind its last nothing is drafted, and what is drawn
// has the law of the rest.
TEST(DraftModel, DraftsOnlyWhatTheTargetHas) {
  constexpr std::uint32_t kTarget = 40;
  Drafting drafting({}, 64, kTarget);
  std::size_t greedy = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const std::vector<TokenId> sequence = random_tokens(9, kTarget, seed);
    const DraftTokens sampled = drafting.propose(sequence, 6, {.temperature = 3.0f, .seed = seed});
    EXPECT_EQ(sampled.tokens.size(), 6u);
    for (const Distribution& law : sampled.laws) EXPECT_LE(law.tokens.size(), kTarget);
    const DraftTokens chosen = drafting.propose(sequence, 6);
    greedy += chosen.tokens.size();
    for (const TokenId token : followed_by(sampled.tokens, chosen.tokens)) EXPECT_LT(token, kTarget);
  }
  EXPECT_LT(greedy, 8 * 6u) << "the draft never wanted what the target lacks; the test shows little";
}

TEST(DraftModel, AForkGoesOnFromTheSameTextOnItsOwn) {
  Drafting drafting;
  const std::vector<TokenId> prompt = random_tokens(20, 256, 6);
  const DraftTokens drafted = drafting.propose(prompt, 5);
  const std::unique_ptr<DraftModel> fork = take(drafting.draft->fork());
  std::vector<TokenId> other = prompt;
  other.back() = (other.back() + 1) % 256;
  DraftTokens of_fork;
  drafting.device().rows = 0;
  ASSERT_TRUE(fork->propose(other, 5, {}, nullptr, of_fork).ok());
  EXPECT_EQ(drafting.device().rows, 5u) << "the fork read again what its origin had";
  EXPECT_EQ(of_fork.tokens, Drafting().propose(other, 5).tokens);
  EXPECT_EQ(drafting.propose(prompt, 5).tokens, drafted.tokens);
}

TEST(DraftModel, LogitsThatAreNotFiniteAreAnError) {
  ToyModel toy;
  toy.tied = false;
  toy.output_scale = 3e38f;
  Drafting drafting(toy);
  DraftTokens out;
  const std::vector<TokenId> sequence = random_tokens(9, 256, 7);
  EXPECT_EQ(drafting.draft->propose(sequence, 4, {}, nullptr, out).code(), ErrorCode::kLogitsNotFinite);
  EXPECT_EQ(drafting.draft->propose(sequence, 4, kSampled, nullptr, out).code(), ErrorCode::kLogitsNotFinite);
}

}  // namespace
}  // namespace emberline::testing
