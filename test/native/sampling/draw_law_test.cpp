// Are tokens drawn with the probabilities the law gives them? Chi-square tests with a false-alarm rate of
// 1e-9, each with a control: the same draws against a slightly different law, which must be refused.
#include <gtest/gtest.h>

#include <map>

#include "sampling/chi_square.h"
#include "sampling/oracle.h"
#include "sampling/sampler.h"

namespace emberline {
namespace {

std::map<std::uint32_t, double> law_of(const std::vector<float>& logits, const SamplingParams& params) {
  const auto law = oracle::distribution(logits, {}, params);
  std::map<std::uint32_t, double> result;
  for (std::size_t i = 0; i < law.kept.size(); ++i) result[law.kept[i]] = static_cast<double>(law.prob[i]);
  return result;
}

constexpr int kDraws = 200000;
const std::vector<float> kLogits = {0.3f, 2.0f, -1.0f, 1.2f, 1.2f,  -4.0f,
                                    0.0f, 3.1f, -0.2f, 2.6f, -7.0f, 0.9f};

const std::vector<SamplingParams>& settings() {
  static const std::vector<SamplingParams> all = {
      {.temperature = 1.0f},
      {.temperature = 0.7f, .top_k = 8},
      {.temperature = 1.5f, .top_p = 0.9f},
      {.temperature = 1.0f, .min_p = 0.1f},
      {.temperature = 0.9f, .top_k = 9, .top_p = 0.95f, .min_p = 0.02f},
  };
  return all;
}

TEST(DrawLaw, AlongThePositionsOfOneSeed) {
  Sampler sampler;
  for (SamplingParams params : settings()) {
    params.seed = 42;
    std::map<std::uint32_t, double> counts;
    for (std::uint64_t i = 0; i < kDraws; ++i)
      counts[sampler.sample(kLogits, {}, params, i).value().token] += 1;
    EXPECT_FALSE(fit(counts, law_of(kLogits, params), kDraws).refused()) << "T " << params.temperature;
    params.temperature *= 1.05f;
    EXPECT_TRUE(fit(counts, law_of(kLogits, params), kDraws).refused()) << "T " << params.temperature;
  }
}

TEST(DrawLaw, AlongConsecutiveSeedsAtOnePosition) {
  Sampler sampler;
  SamplingParams params = {.temperature = 1.0f};
  std::map<std::uint32_t, double> counts;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    params.seed = seed;
    counts[sampler.sample(kLogits, {}, params, 17).value().token] += 1;
  }
  EXPECT_FALSE(fit(counts, law_of(kLogits, params), kDraws).refused());
  params.temperature = 1.05f;
  EXPECT_TRUE(fit(counts, law_of(kLogits, params), kDraws).refused());
}

// Neighbours in position or in seed must be independent: their pairs follow the product of the law with
// itself.
TEST(DrawLaw, NeighboursAreIndependent) {
  Sampler sampler;
  const SamplingParams base = {.temperature = 1.0f};
  const auto draw = [&](std::uint64_t seed, std::uint64_t position) {
    SamplingParams params = base;
    params.seed = seed;
    return sampler.sample(kLogits, {}, params, position).value().token;
  };
  const auto single = law_of(kLogits, base);
  std::map<std::uint32_t, double> product, by_position, by_seed, dependent;
  for (const auto& [a, p] : single) {
    for (const auto& [b, q] : single) product[a * 100 + b] = p * q;
  }
  for (std::uint64_t i = 0; i < kDraws / 2; ++i) {
    by_position[draw(1, 2 * i) * 100 + draw(1, 2 * i + 1)] += 1;
    by_seed[draw(2 * i, 5) * 100 + draw(2 * i + 1, 5)] += 1;
    const auto first = draw(1, 2 * i);
    dependent[first * 100 + (i % 50 == 0 ? first : draw(1, 2 * i + 1))] +=
        1;  // control: one pair in fifty is a copy
  }
  EXPECT_FALSE(fit(by_position, product, kDraws / 2).refused());
  EXPECT_FALSE(fit(by_seed, product, kDraws / 2).refused());
  EXPECT_TRUE(fit(dependent, product, kDraws / 2).refused());
}

}  // namespace
}  // namespace emberline
