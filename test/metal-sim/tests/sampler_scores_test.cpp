// The sampler kernel apart from its survivors: normalizer, penalty, rows, chains, and logits it refuses.
#include <gtest/gtest.h>

#include <cmath>

#include "argmax_run.h"
#include "logits.h"
#include "sampler_run.h"
#include "sampling/exact_law.h"
#include "sampling/gumbel_noise.h"
#include "sampling/sampler.h"

namespace emberline::metal_sim {
namespace {

TEST(SamplerScores, TheNormalizerIsThatOfTheRawLogits) {
  for (const std::uint32_t vocabulary : {1u, 5u, 1000u, 4099u}) {
    SamplerRun run(random_logits(vocabulary, vocabulary),
                   {.temperature = 0.5f, .top_k = 3, .repeat_penalty = 2});
    run.tokens = {0, 1, 2};
    run.position = 2;
    run.run();
    double total = 0;
    for (const float logit : run.logits) total += std::exp(double{logit});
    EXPECT_NEAR(run.normalizer[0], std::log(total), std::ldexp(64.0 + std::abs(std::log(total)), -24));
  }
}

TEST(SamplerScores, WithoutATemperatureAreThePenalisedLogits) {
  SamplerRun run({4, -1, 3, 0.5f, -kInf},
                 {.temperature = 0, .top_k = 1, .repeat_penalty = 2, .penalty_window = 3});
  run.tokens = {2, 0, 1, 0, 4, 2};
  run.position = 4;  // the window is 1, 0, 4: token 2 stands before and behind it
  EXPECT_EQ(run.run().scores, (std::vector<float>{2, -2, 3, 0.5f, -kInf}));
  run.params.repeat_penalty = 1;
  EXPECT_EQ(run.run().scores, run.logits);
}

TEST(SamplerScores, ATokenOfTheWindowIsPenalisedOnceHoweverOftenItOccurs) {
  SamplerRun run(random_logits(300, 3), {.temperature = 0, .repeat_penalty = 1.5f, .penalty_window = 4000});
  run.tokens.assign(3000, 7);
  run.tokens[100] = 299;
  run.tokens[200] = 300;  // outside the vocabulary
  run.tokens[201] = 0xFFFFFFFFu;
  run.position = 2999;
  for (const Order& order : all_orders()) {
    run.run(order);
    for (std::uint32_t id = 0; id < 300; ++id) {
      const float z = run.logits[id], once = z > 0 ? z / 1.5f : z * 1.5f;
      EXPECT_EQ(run.scores[id], id == 7 || id == 299 ? once : z) << id;
    }
  }
}

TEST(SamplerScores, ReadNoHistoryBeyondTheFirstTokenNorBehindTheLast) {
  // Accesses are checked, and the buffer holds exactly the tokens up to `position`.
  SamplerRun run(random_logits(50, 4), {.temperature = 1, .repeat_penalty = 1.1f, .penalty_window = 64});
  for (const std::uint32_t length : {1u, 2u, 63u, 64u, 65u}) {
    run.tokens.assign(length, 3);
    run.position = length - 1;
    run.run();
    if (shipped_kernels().checked()) {
      EXPECT_EQ(run.counters.bytes_read[3], std::min(length, 64u) * 4);
    }
  }
}

TEST(SamplerScores, LeadArgmaxToTheTokenThatTheSameNoiseGivesOnTheCpu) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SamplerRun run(random_logits(1001, 100 + seed), {.temperature = 0.9f, .top_k = 30, .seed = seed});
    run.tokens.assign(12, 0);
    run.position = 11;
    run.threads = 128;
    run.run();
    std::uint32_t expected = 0;
    double best = -kInf;
    const ExactLaw law = exact_law(run.logits, {}, run.params);
    for (const std::uint32_t token : law.tokens) {
      const double score = run.logits[token] / 0.9 + gumbel_noise(seed, 12, token);
      if (score > best) best = score, expected = token;
    }

    ArgmaxRun argmax(run.scores);
    argmax.scores = true;
    argmax.raw_logits = run.logits;
    argmax.normalizer = run.normalizer;
    argmax.position = 11;
    argmax.run({}, 128);
    EXPECT_EQ(argmax.token(), expected);
    EXPECT_NEAR(argmax.log_prob(), Sampler().log_probability(run.logits, expected), 1e-4);
  }
}

TEST(SamplerScores, ARowOfABatchIsThatOfASingleForward) {
  SamplerRun batch(random_logits(5 * 203, 5),
                   {.temperature = 0.8f, .top_k = 50, .repeat_penalty = 1.3f, .seed = 99});
  batch.rows = 5;
  batch.vocabulary = 203;
  batch.tokens = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  batch.position = 4;
  batch.run();
  for (std::uint32_t r = 0; r < 5; ++r) {
    const auto first = batch.logits.begin() + r * 203;
    SamplerRun single(std::vector<float>(first, first + 203), batch.params);
    single.tokens = batch.tokens;
    single.position = batch.position + r;
    single.run();
    EXPECT_TRUE(std::equal(single.scores.begin(), single.scores.end(), batch.scores.begin() + r * 203)) << r;
    EXPECT_EQ(single.normalizer[0], batch.normalizer[r]);
  }
}

TEST(SamplerScores, DependOnSeedAndPositionAlone) {
  SamplerRun run(random_logits(64, 6), {.temperature = 1, .seed = 5});
  run.tokens.assign(20, 0);
  run.position = 9;
  const std::vector<float> first = run.run().scores;
  EXPECT_EQ(run.run(Order::descending()).scores, first);
  run.position = 10;
  EXPECT_NE(run.run().scores, first);
  run.position = 9;
  run.params.seed = 5 + (std::uint64_t{1} << 32);
  EXPECT_NE(run.run().scores, first);
}

TEST(SamplerScores, OfLogitsThatCannotBeUsedAreNaN) {
  for (const float bad : {kNaN, -kNaN, kInf}) {
    for (const std::uint32_t at : {0u, 1u, 99u, 100u}) {
      std::vector<float> logits = random_logits(101, 7);
      logits[at] = bad;
      SamplerRun run(logits, {.temperature = 1, .top_k = 5, .repeat_penalty = 1.5f});
      EXPECT_TRUE(std::isnan(run.run().scores[0])) << bad << " at " << at;
    }
  }
  EXPECT_TRUE(std::isnan(SamplerRun(std::vector<float>(77, -kInf), {.temperature = 1}).run().scores[0]));
}

TEST(SamplerScores, AreNotWrittenBehindTheEndOfAChain) {
  SamplerRun run(random_logits(70, 8), {.temperature = 1});
  run.chained = true;
  run.chain[0].halted = 1;
  run.run();
  EXPECT_EQ(run.scores, std::vector<float>(70, SamplerRun::kUntouched));
  EXPECT_EQ(run.counters.bytes_read[2], 0u);
  run.chain[0].halted = 0;
  EXPECT_NE(run.run().scores[0], SamplerRun::kUntouched);
}

TEST(SamplerScores, ReadTheLogitsAsOftenAsTheirFiltersNeed) {
  const std::uint64_t row = 4000 * 4;
  SamplerRun plain(random_logits(4000, 9), {.temperature = 1});
  EXPECT_EQ(plain.run().counters.bytes_read[2], 2 * row);
  SamplerRun filtered(random_logits(4000, 9), {.temperature = 1, .top_k = 40, .top_p = 0.9f});
  EXPECT_EQ(filtered.run().counters.bytes_read[2], 4 * row);
}

}  // namespace
}  // namespace emberline::metal_sim
