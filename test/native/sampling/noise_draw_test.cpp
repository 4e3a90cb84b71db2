// Drawing by Gumbel noise on the CPU: the argmax written down plainly, and the law.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "chi_square.h"
#include "sampling/gumbel_noise.h"
#include "sampling/sampler.h"
#include "sampling/softmax_mass.h"
#include "take.h"

namespace emberline::testing {
namespace {

std::vector<float> random_logits(std::mt19937_64& random, std::size_t count) {
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> logits(count);
  for (float& logit : logits) logit = normal(random);
  return logits;
}

TEST(NoiseDraw, IsTheArgmaxOverTheSurvivors) {
  std::mt19937_64 random(1);
  Sampler sampler;
  Distribution survivors;
  for (int round = 0; round < 400; ++round) {
    std::vector<float> logits = random_logits(random, 1 + random() % 300);
    if (round % 5 == 0) logits.assign(logits.size(), 1.5f);  // ties
    SamplingParams params{.temperature = 0.1f + static_cast<float>(round % 20) / 10, .seed = random()};
    params.draw_by = DrawBy::kGumbelNoise;
    if (round % 2 == 0) params.top_k = static_cast<std::int32_t>(1 + random() % 40);
    if (round % 3 == 0) params.top_p = 0.9f;
    if (round % 4 == 0) params.min_p = 0.05f;
    const std::uint64_t position = random() % 5000;
    const Draw drawn = take(sampler.sample(logits, {}, params, position));
    const Status status = sampler.distribution(logits, {}, params, survivors);
    ASSERT_TRUE(status.ok()) << status.message();
    const float largest = *std::max_element(logits.begin(), logits.end());
    std::uint32_t expected = 0;
    float best = -std::numeric_limits<float>::infinity();
    std::sort(survivors.tokens.begin(), survivors.tokens.end());
    for (const std::uint32_t token : survivors.tokens) {
      const float noise = gumbel_noise(params.seed, static_cast<std::uint32_t>(position), token);
      const float score = std::fma(-(largest - logits[token]), 1.0f / params.temperature, noise);
      if (score > best) {
        best = score;
        expected = token;
      }
    }
    ASSERT_EQ(drawn.token, expected) << "round " << round;
    EXPECT_LE(drawn.log_prob, 0);
    EXPECT_GT(drawn.prob, 0);
  }
}

TEST(NoiseDraw, FollowsTheLaw) {
  constexpr std::uint64_t kDraws = 200'000;
  const std::vector<float> logits = {2, 1, 0.5f, 0, -1, -2, 1.5f, -30};
  Sampler sampler;
  Distribution law;
  SamplingParams params{.temperature = 0.9f, .top_p = 0.97f, .seed = 11, .draw_by = DrawBy::kGumbelNoise};
  const Status status = sampler.distribution(logits, {}, params, law);
  ASSERT_TRUE(status.ok()) << status.message();
  std::map<std::uint32_t, double> expected, counts;
  for (std::size_t i = 0; i < law.tokens.size(); ++i)
    expected[law.tokens[i]] = static_cast<double>(law.masses[i]) / static_cast<double>(law.total);
  for (std::uint64_t position = 0; position < kDraws; ++position)
    ++counts[take(sampler.sample(logits, {}, params, position)).token];
  EXPECT_FALSE(fit(counts, expected, kDraws).refused());
  std::swap(expected[0], expected[1]);
  EXPECT_TRUE(fit(counts, expected, kDraws).refused()) << "the test can tell another law";
}

}  // namespace
}  // namespace emberline::testing
