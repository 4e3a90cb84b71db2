// Chains: in one chunk or in several, of which two may be under way.
#include "model/chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "toy_pass.h"

namespace emberline::testing {
namespace {

constexpr std::uint32_t kPosition = 4;
constexpr std::uint32_t kSteps = 20;
constexpr TokenId kFirst = 9;

struct Chosen {
  std::vector<TokenId> tokens;
  std::vector<float> log_probs;
  ReplayOutcome last;

  void add(const ChainResult& chunk) {
    tokens.insert(tokens.end(), chunk.tokens.begin(), chunk.tokens.end());
    log_probs.insert(log_probs.end(), chunk.log_probs.begin(), chunk.log_probs.end());
    last = chunk.outcome;
  }
};

class ChainTest : public ::testing::Test {
 protected:
  ChainTest() { toy_.prefill(random_tokens(kPosition, toy_.hyperparameters.vocabulary, 5)); }

  std::unique_ptr<Chain> begin(std::uint32_t steps = kSteps, StopSet stop = {},
                               const std::atomic<bool>* cancel = nullptr) {
    return take(toy_.pass->begin_chain(kFirst, {kPosition, steps, stop, cancel}));
  }
  // Chunks of these sizes, each submitted before the one in front of it is waited for.
  Chosen run(const std::vector<std::uint32_t>& chunks, StopSet stop = {}) {
    const std::unique_ptr<Chain> chain = begin(kSteps, stop);
    Chosen chosen;
    std::size_t submitted = 0;
    do {
      while (submitted < chunks.size() && submitted < chosen_chunks_ + 2) {
        EXPECT_TRUE(chain->submit(chunks[submitted++]).ok());
      }
      chosen.add(take(chain->wait()));
      ++chosen_chunks_;
    } while (chain->under_way());
    chosen_chunks_ = 0;
    return chosen;
  }
  StopSet stop_at(TokenId token) {
    bits_.assign(toy_.hyperparameters.vocabulary / 64 + 1, 0);
    bits_[token / 64] |= std::uint64_t{1} << (token % 64);
    return {bits_};
  }

  ToyPass toy_{ToyModel{}};
  std::size_t chosen_chunks_ = 0;
  std::vector<std::uint64_t> bits_;
};

TEST_F(ChainTest, EqualsSingleSteps) {
  std::vector<TokenId> tokens;
  std::vector<float> log_probs;
  for (TokenId token = kFirst; tokens.size() < kSteps;) {
    take(toy_.pass->decode(token, static_cast<std::uint32_t>(kPosition + tokens.size()), nullptr));
    const std::vector<float> logits = toy_.logits();
    token = static_cast<TokenId>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - logits[token]);
    tokens.push_back(token);
    log_probs.push_back(static_cast<float>(-std::log(sum)));
  }
  const Chosen chosen = run({kSteps});
  EXPECT_EQ(chosen.last.steps_completed, kSteps);
  EXPECT_FALSE(chosen.last.stopped);
  EXPECT_EQ(chosen.tokens, tokens);
  for (std::size_t i = 0; i < kSteps; ++i)
    EXPECT_NEAR(chosen.log_probs[i], log_probs[i], 1e-4) << "step " << i;
}

TEST_F(ChainTest, IsTheSameInAnyChunks) {
  const Chosen whole = run({kSteps});
  for (const std::vector<std::uint32_t>& chunks :
       {std::vector<std::uint32_t>{1, kSteps - 1}, {1, 2, 4, 8, 5}, std::vector<std::uint32_t>(kSteps, 1)}) {
    const Chosen chosen = run(chunks);
    EXPECT_EQ(chosen.tokens, whole.tokens);
    EXPECT_EQ(chosen.log_probs, whole.log_probs);
  }
}

TEST_F(ChainTest, EndsAfterATokenOfTheStopSet) {
  const std::vector<TokenId> tokens = run({kSteps}).tokens;
  const TokenId stop = tokens[5];
  const auto first = static_cast<std::size_t>(std::find(tokens.begin(), tokens.end(), stop) - tokens.begin());
  for (const std::vector<std::uint32_t>& chunks :
       {std::vector<std::uint32_t>{kSteps}, {1, 2, 4, 8, 5}, std::vector<std::uint32_t>(kSteps, 1)}) {
    const Chosen chosen = run(chunks, stop_at(stop));
    EXPECT_TRUE(chosen.last.stopped);
    EXPECT_EQ(chosen.tokens.size(), first + 1);
    EXPECT_EQ(chosen.tokens.back(), stop);
  }
}

TEST_F(ChainTest, AChunkBehindAStopDoesNothing) {
  const TokenId stop = run({kSteps}).tokens.front();
  const std::unique_ptr<Chain> chain = begin(kSteps, stop_at(stop));
  ASSERT_TRUE(chain->submit(3).ok());
  ASSERT_TRUE(chain->submit(5).ok());
  EXPECT_EQ(take(chain->wait()).tokens.size(), 1u);
  const ChainResult behind = take(chain->wait());
  EXPECT_TRUE(behind.tokens.empty());
  EXPECT_TRUE(behind.outcome.stopped);
  // What comes after is as if nothing had been: no flag is left behind.
  EXPECT_EQ(run({kSteps}).tokens.size(), kSteps);
}

TEST_F(ChainTest, ACancelledOneCompletesNoStep) {
  const std::atomic<bool> cancel{true};
  const std::unique_ptr<Chain> chain = begin(kSteps, {}, &cancel);
  ASSERT_TRUE(chain->submit(4).ok());
  ASSERT_TRUE(chain->submit(4).ok());
  for (int chunk = 0; chunk < 2; ++chunk) {
    const ChainResult result = take(chain->wait());
    EXPECT_TRUE(result.outcome.cancelled);
    EXPECT_TRUE(result.tokens.empty());
  }
}

TEST_F(ChainTest, WhatIsAbandonedEndsSoon) {
  const std::vector<TokenId> tokens = run({kSteps}).tokens;
  {
    const std::unique_ptr<Chain> chain = begin();
    ASSERT_TRUE(chain->submit(4).ok());
    EXPECT_EQ(take(chain->wait()).tokens.size(), 4u);
    ASSERT_TRUE(chain->submit(8).ok());
    ASSERT_TRUE(chain->submit(8).ok());
    chain->abandon();
    EXPECT_TRUE(take(chain->wait()).outcome.cancelled);
    // The other is waited for by the chain itself.
  }
  EXPECT_EQ(run({kSteps}).tokens, tokens);
}

TEST_F(ChainTest, RefusesMoreThanItWasMadeFor) {
  const std::unique_ptr<Chain> chain = begin(6);
  EXPECT_EQ(chain->wait().code(), ErrorCode::kInternal);
  EXPECT_EQ(chain->submit(0).code(), ErrorCode::kInternal);
  EXPECT_EQ(chain->submit(7).code(), ErrorCode::kInternal);
  ASSERT_TRUE(chain->submit(1).ok());
  ASSERT_TRUE(chain->submit(1).ok());
  EXPECT_EQ(chain->submit(1).code(), ErrorCode::kInternal);  // two are under way
  EXPECT_EQ(chain->steps_left(), 4u);
}

}  // namespace
}  // namespace emberline::testing
