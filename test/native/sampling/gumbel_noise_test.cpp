// The noise against its formula in double precision, and against its law.
#include "sampling/gumbel_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "sampling/random.h"

namespace emberline {
namespace {

double exact_noise(std::uint32_t word) {
  const double w = std::min((word + 0.5) * std::ldexp(1, -32), 1 - std::ldexp(1, -24));
  return -std::log(-std::log1p(-w));
}

TEST(GumbelNoise, IsTheFormulaWithinItsBound) {
  std::mt19937_64 random(1);
  std::vector<std::uint32_t> words = {0,           1,           2,           255,         256,
                                      0x3FFFFFFFu, 0x40000000u, 0x7FFFFFFFu, 0xFFFFFEFFu, 0xFFFFFFFFu};
  for (int i = 0; i < 300000; ++i) words.push_back(static_cast<std::uint32_t>(random()) >> (random() % 32));
  for (const std::uint32_t word : words) {
    const double exact = exact_noise(word);
    // The uniform number itself is a float: its rounding counts where log(1 - w) is steep.
    const double w = std::min((word + 0.5) * std::ldexp(1, -32), 1 - std::ldexp(1, -24));
    const double steep = w > 0.25 ? std::ldexp(1, -24) / ((1 - w) * -std::log1p(-w)) : 0;
    ASSERT_NEAR(gumbel_of_word(word), exact, std::ldexp(std::max(1.0, std::abs(exact)), -22) + steep) << word;
  }
  EXPECT_NEAR(gumbel_of_word(0), 22.8737, 1e-3);
  EXPECT_NEAR(gumbel_of_word(0xFFFFFFFFu), -2.8115, 1e-3);
}

TEST(GumbelNoise, FallsWithTheWord) {
  float before = gumbel_of_word(0);
  for (std::uint64_t word = 1; word < (std::uint64_t{1} << 32); word += 1 + word / 1000) {
    const float noise = gumbel_of_word(static_cast<std::uint32_t>(word));
    ASSERT_LE(noise, before + 1e-6f) << word;
    before = noise;
  }
}

TEST(GumbelNoise, TakesItsWordsFromPhilox) {
  const std::uint64_t seed = 0x0123456789ABCDEFu;
  for (const std::uint32_t token : {0u, 1u, 2u, 3u, 4u, 151935u}) {
    const auto block = philox4x32({77, 0, static_cast<std::uint32_t>(RandomStream::kGumbel), token / 4},
                                  {0x89ABCDEFu, 0x01234567u});
    EXPECT_EQ(gumbel_noise(seed, 77, token), gumbel_of_word(block[token % 4]));
  }
  EXPECT_EQ(kGumbelStream, static_cast<std::uint32_t>(RandomStream::kGumbel));
}

// Kolmogorov and Smirnov: the largest distance between the empirical distribution and exp(-exp(-g)) exceeds
// sqrt(-log(a / 2) / 2n) with a probability of at most a.
double largest_distance(std::vector<double> noise) {
  std::sort(noise.begin(), noise.end());
  double largest = 0;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const double share = std::exp(-std::exp(-noise[i])), n = static_cast<double>(noise.size());
    largest = std::max({largest, std::abs(share - static_cast<double>(i) / n),
                        std::abs(share - static_cast<double>(i + 1) / n)});
  }
  return largest;
}

TEST(GumbelNoise, FollowsTheGumbelLawAlongTokensPositionsAndSeeds) {
  constexpr std::uint32_t kDraws = 200000;
  const double critical = std::sqrt(-std::log(1e-9 / 2) / (2 * kDraws));
  std::vector<double> by_token, by_position, by_seed, control;
  for (std::uint32_t i = 0; i < kDraws; ++i) {
    by_token.push_back(gumbel_noise(1, 5, i));
    by_position.push_back(gumbel_noise(1, i, 5));
    by_seed.push_back(gumbel_noise(i, 5, 5));
    control.push_back(gumbel_noise(1, 5, i) * 1.05);
  }
  EXPECT_LT(largest_distance(by_token), critical);
  EXPECT_LT(largest_distance(by_position), critical);
  EXPECT_LT(largest_distance(by_seed), critical);
  EXPECT_GT(largest_distance(control), critical);
}

}  // namespace
}  // namespace emberline
