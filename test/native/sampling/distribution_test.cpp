// The law of a token as integers, and the draw from it.
#include "sampling/distribution.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "sampling/infinity.h"
#include "sampling/random.h"
#include "sampling/sampler.h"
#include "sampling/softmax_mass.h"

namespace emberline {
namespace {

TEST(Distribution, MassBelowIsTheProductRoundedDown) {
  EXPECT_EQ(mass_below(0, 7), 0u);
  EXPECT_EQ(mass_below(0.5, 7), 3u);
  EXPECT_EQ(mass_below(0x1p-53, std::uint64_t{1} << 53), 1u);
  EXPECT_EQ(mass_below(1 - 0x1p-53, std::uint64_t{1} << 63), (std::uint64_t{1} << 63) - 1024);
  EXPECT_EQ(mass_below(1 - 0x1p-53, 1), 0u);
  // Against the product of the halves in a longer number: u = a / 2^32, exact in 96 bits.
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t a = random() >> 32, total = random() >> 1;
    const std::uint64_t expected = a * (total >> 32) + ((a * (total & 0xFFFFFFFFu)) >> 32);
    ASSERT_EQ(mass_below(static_cast<double>(a) * 0x1p-32, total), expected);
  }
}

// Every unit of mass belongs to the token it came from.
TEST(Distribution, EachTokenIsDrawnOnItsShareOfTheUnitInterval) {
  const Distribution law = {{9, 4, 6}, {4, 1, 3}, 8};
  const std::uint32_t expected[] = {9, 9, 9, 9, 4, 6, 6, 6};
  for (int eighth = 0; eighth < 8; ++eighth) {
    EXPECT_EQ(draw_from(law, eighth / 8.0), expected[eighth]);
    EXPECT_EQ(draw_from(law, std::nextafter((eighth + 1) / 8.0, 0.0)), expected[eighth]);
  }
}

TEST(Distribution, IsWhatASampleIsDrawnFrom) {
  std::mt19937_64 random(2);
  Sampler sampler, other;
  Distribution law;
  for (int round = 0; round < 3000; ++round) {
    std::vector<float> logits(1 + random() % 300);
    for (float& z : logits) z = random() % 9 == 0 ? -kInf : static_cast<float>(random() % 50) * 0.2f;
    logits[random() % logits.size()] = 1;
    SamplingParams params = {.temperature = random() % 8 == 0 ? 0.0f : 0.7f, .seed = random()};
    if (random() % 2) params.top_k = static_cast<std::int32_t>(random() % 60);
    if (random() % 2) params.top_p = 0.9f;
    if (random() % 3 == 0) params.min_p = 0.05f;
    if (random() % 2) params.repeat_penalty = 1.2f;
    const std::vector<std::uint32_t> history = {1, 2, 3, 2};
    const std::uint64_t position = random();

    ASSERT_TRUE(sampler.distribution(logits, history, params, law).ok());
    ASSERT_EQ(law.tokens.size(), law.masses.size());
    ASSERT_FALSE(law.tokens.empty());
    ASSERT_EQ(law.total, std::accumulate(law.masses.begin(), law.masses.end(), std::uint64_t{0}));
    const auto drawn = other.sample(logits, history, params, position);
    ASSERT_TRUE(drawn.ok());
    ASSERT_EQ(drawn.value().token,
              draw_from(law, random_uniform(params.seed, position, RandomStream::kSample)));
    const auto place = std::find(law.tokens.begin(), law.tokens.end(), drawn.value().token);
    ASSERT_NE(place, law.tokens.end());
    const double mass = static_cast<double>(law.masses[place - law.tokens.begin()]);
    ASSERT_EQ(drawn.value().prob, static_cast<float>(mass / static_cast<double>(law.total)));
  }
}

TEST(Distribution, HoldsTheMassesOfTheSurvivorsMostProbableFirst) {
  Sampler sampler;
  Distribution law;
  const std::vector<float> logits = {0, 2, -kInf, 1, 2};
  ASSERT_TRUE(sampler.distribution(logits, {}, {.temperature = 1, .top_k = 3}, law).ok());
  EXPECT_EQ(law.tokens, (std::vector<std::uint32_t>{1, 4, 3}));
  const std::uint64_t whole = std::uint64_t{1} << kMassBits;
  EXPECT_EQ(law.masses, (std::vector<std::uint64_t>{whole, whole, mass_of(mass_exponent(1, mass_scale(1)))}));
  // Without a filter: by id.
  ASSERT_TRUE(sampler.distribution(logits, {}, {.temperature = 1}, law).ok());
  EXPECT_EQ(law.tokens, (std::vector<std::uint32_t>{0, 1, 3, 4}));
  // A token too unlikely for a unit of mass is never drawn, so it is not there.
  ASSERT_TRUE(
      sampler.distribution(std::vector<float>{0, 50, 49}, {}, {.temperature = 1, .top_k = 5}, law).ok());
  EXPECT_EQ(law.tokens, (std::vector<std::uint32_t>{1, 2}));
  // Greedy: one token.
  ASSERT_TRUE(sampler.distribution(logits, {}, {.temperature = 0, .top_k = 3}, law).ok());
  EXPECT_EQ(law.tokens, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(law.masses, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(law.total, 1u);
}

TEST(Distribution, SaysTheErrorsOfASample) {
  Sampler sampler;
  Distribution law;
  EXPECT_EQ(sampler.distribution({}, {}, {}, law).code(), ErrorCode::kInvalidArgument);
  const std::vector<float> masked(3, -kInf), infinite(3, kInf);
  EXPECT_EQ(sampler.distribution(masked, {}, {.temperature = 1}, law).code(), ErrorCode::kAllTokensMasked);
  EXPECT_EQ(sampler.distribution(infinite, {}, {.temperature = 1}, law).code(), ErrorCode::kLogitsNotFinite);
}

}  // namespace
}  // namespace emberline
