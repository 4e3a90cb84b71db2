// The integer arithmetic of the sampling law against the exponential, and what the law builds on: it does not
// rise.
#include "sampling/softmax_mass.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "sampling/infinity.h"

namespace emberline {
namespace {

constexpr std::uint64_t kWhole = std::uint64_t{1} << kMassBits;

TEST(SoftmaxMass, NeverRisesWithinABinaryOrderNorAcrossTheNext) {
  std::uint64_t before = mass_of(0);
  EXPECT_EQ(before, kWhole);
  std::uint32_t rises = 0;
  for (std::uint32_t x = 1; x <= (1u << kMassFractionBits); ++x) {
    const std::uint64_t mass = mass_of(x);
    rises += mass > before;
    before = mass;
  }
  EXPECT_EQ(rises, 0u);
  // Every further order is the first one, shifted.
  for (std::uint32_t x = 0; x < (1u << kMassFractionBits); x += 99991) {
    for (std::uint32_t order = 1; order < 64; ++order) {
      EXPECT_EQ(mass_of((order << kMassFractionBits) + x), mass_of(x) >> order);
    }
  }
  EXPECT_EQ(mass_of(0xFFFFFFFFu), 0u);
}

TEST(SoftmaxMass, IsThePowerOfTwoWithinItsBound) {
  for (std::uint32_t x = 0; x < (1u << kMassFractionBits); x += 997) {
    const double power = std::exp2(-std::ldexp(static_cast<double>(x), -static_cast<int>(kMassFractionBits)));
    ASSERT_NEAR(std::ldexp(static_cast<double>(mass_of(x)), -static_cast<int>(kMassBits)), power,
                std::ldexp(1, -27))
        << x;
  }
}

TEST(SoftmaxMass, IsTheTemperedExponentialWithinItsBound) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<float> distance(0, 60), temperature(0.05f, 3);
  for (int i = 0; i < 100000; ++i) {
    const float d = distance(random), t = temperature(random);
    const double exponent = double{d} / t;
    const double expected = std::exp(-exponent);
    const double mass = std::ldexp(static_cast<double>(mass_of(mass_exponent(d, mass_scale(t)))),
                                   -static_cast<int>(kMassBits));
    const double bound =
        expected * (std::ldexp(1, -26) + exponent * std::ldexp(1, -22)) + 1.0 / static_cast<double>(kWhole);
    ASSERT_NEAR(mass, expected, bound) << "d " << d << ", T " << t;
  }
}

TEST(SoftmaxMass, ExponentsSaturate) {
  for (const float t : {0.0f, 1e-45f, 1e-38f, 1.0f, 1e38f}) {
    EXPECT_EQ(mass_exponent(0.0f, mass_scale(t)), 0u) << t;
    EXPECT_EQ(mass_exponent(kInf, mass_scale(t)), 0xFFFFFFFFu) << t;
  }
  EXPECT_EQ(mass_exponent(std::numeric_limits<float>::denorm_min(), mass_scale(1e-45f)), 0u);
}

TEST(SoftmaxMass, KeysRiseWithTheLogit) {
  const float ascending[] = {-kInf, std::numeric_limits<float>::lowest(), -1,  -1e-45f, 0, 1e-45f,
                             1,     std::numeric_limits<float>::max(),    kInf};
  for (std::size_t i = 1; i < std::size(ascending); ++i) {
    EXPECT_LT(logit_key(ascending[i - 1]), logit_key(ascending[i]));
    EXPECT_EQ(key_logit(logit_key(ascending[i])), ascending[i]);
  }
  EXPECT_EQ(logit_key(-0.0f), logit_key(0.0f));
  EXPECT_EQ(logit_key(-kInf), kMaskedKey);
  EXPECT_EQ(logit_key(std::numeric_limits<float>::max()), kLargestFiniteKey);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_GT(logit_key(nan), kLargestFiniteKey);
  EXPECT_LT(logit_key(-nan), kMaskedKey);
}

TEST(SoftmaxMass, TopPIsTheLeastMassThatReachesTheShare) {
  EXPECT_EQ(top_p_mass(1000, 0.5f), 500u);
  EXPECT_EQ(top_p_mass(1001, 0.5f), 501u);
  EXPECT_EQ(top_p_mass(kWhole * 4, 0.75f), kWhole * 3);
  EXPECT_EQ(top_p_mass(kWhole, 0.0f), 1u);
  EXPECT_EQ(top_p_mass(kWhole, -1.0f), 1u);
  EXPECT_EQ(top_p_mass(kWhole, 1e-30f), 1u);
  // The largest total, and the largest share below 1.
  const std::uint64_t total = kWhole << 20;
  EXPECT_EQ(top_p_mass(total, std::nextafter(1.0f, 0.0f)), total - (total >> 24));
}

TEST(SoftmaxMass, MinPIsAShareOfTheLargest) {
  EXPECT_EQ(min_p_mass(1.0f), kWhole);
  EXPECT_EQ(min_p_mass(0.25f), kWhole / 4);
  EXPECT_EQ(min_p_mass(1e-30f), 0u);
}

TEST(SoftmaxMass, PenaltiesKeepLogitsFinite) {
  EXPECT_EQ(penalised_logit(3.0f, 2.0f), 1.5f);
  EXPECT_EQ(penalised_logit(-3.0f, 2.0f), -6.0f);
  EXPECT_EQ(penalised_logit(1e30f, 1e-30f), std::numeric_limits<float>::max());
  EXPECT_EQ(penalised_logit(-1e30f, 1e30f), std::numeric_limits<float>::lowest());
  EXPECT_EQ(penalised_logit(1e-45f, 1e-45f), 0.0f);
  EXPECT_EQ(penalised_logit(1e-30f, 1e30f), 0.0f);
  EXPECT_EQ(penalised_logit(-kInf, 2.0f), -kInf);
}

}  // namespace
}  // namespace emberline
