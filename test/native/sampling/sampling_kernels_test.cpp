// Every kernel set of sampling against the functions of the law, a logit at a time: bit for bit.
#include "sampling/kernels/sampling_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "sampling/infinity.h"
#include "sampling/kernels/select_sampling_kernels.h"
#include "sampling/mass_law.h"

namespace emberline {
namespace {

constexpr float kLargestFloat = std::numeric_limits<float>::max();

struct SetName {
  std::string operator()(const ::testing::TestParamInfo<const SamplingKernels*>& info) const {
    return info.param->isa;
  }
};

// Best first.
std::vector<const SamplingKernels*> runnable_sampling_kernels() {
  std::vector<const SamplingKernels*> sets;
  for (const InstructionSet set : runnable_instruction_sets()) {
    const SamplingKernels* kernels = &sampling_kernels(set);
    if (sets.empty() || sets.back() != kernels) sets.push_back(kernels);
  }
  return sets;
}

class SamplingKernelSet : public ::testing::TestWithParam<const SamplingKernels*> {};
INSTANTIATE_TEST_SUITE_P(Runnable, SamplingKernelSet, ::testing::ValuesIn(runnable_sampling_kernels()),
                         SetName());

std::vector<float> logits_of(std::mt19937_64& random, std::size_t n) {
  std::vector<float> logits(n);
  const float spread = std::ldexp(1.0f, static_cast<int>(random() % 12) - 4);
  for (float& z : logits) {
    const auto kind = random() % 40;
    z = std::normal_distribution<float>(0, spread)(random);
    if (kind == 0) z = -kInf;
    if (kind == 1) z = -0.0f;
    if (kind == 2) z = 0;
    if (kind == 3) z = std::numeric_limits<float>::denorm_min() * static_cast<float>(random() % 9);
    if (kind == 4) z = logits[random() % n];
  }
  if (random() % 5 == 0) logits[random() % n] = random() % 2 ? kLargestFloat : -kLargestFloat;
  logits[random() % n] = 1;  // one at least is not masked
  return logits;
}

TEST_P(SamplingKernelSet, IsTheLawBitForBit) {
  const SamplingKernels& kernels = *GetParam();
  std::mt19937_64 random(1);
  const float temperatures[] = {1, 0.2f, 0.01f, 30, 1e-38f, 1e30f};
  for (int round = 0; round < 2000; ++round) {
    const std::size_t n = 1 + random() % (round % 50 == 0 ? 5000 : 300);
    const std::vector<float> logits = logits_of(random, n);
    std::vector<float> block_largest((n + kLogitBlock - 1) / kLogitBlock, 7);
    const LogitScan scanned = kernels.scan(logits.data(), n, block_largest.data());
    ASSERT_TRUE(scanned.finite);
    ASSERT_EQ(scanned.largest, *std::max_element(logits.begin(), logits.end()));
    for (std::size_t b = 0; b < block_largest.size(); ++b) {
      const auto first = logits.begin() + static_cast<std::ptrdiff_t>(b * kLogitBlock);
      const auto last = logits.begin() + static_cast<std::ptrdiff_t>(std::min(n, (b + 1) * kLogitBlock));
      ASSERT_EQ(block_largest[b], *std::max_element(first, last));
    }

    const MassLaw law{scanned.largest, mass_scale(temperatures[random() % 6])};
    std::uint64_t total = 0;
    for (const float z : logits) total += law.mass(z);
    const float least = law.least_logit(1);
    ASSERT_EQ(kernels.total_mass(logits.data(), n, block_largest.data(), least, law.largest, law.scale),
              total);

    const float from = random() % 2 ? least : std::max(-kLargestFloat, logits[random() % n]);
    std::vector<std::uint64_t> expected, keys(n + kCollectSlack, 9);
    for (std::uint32_t id = 0; id < n; ++id) {
      if (logits[id] >= from) expected.push_back(rank_key(logits[id], id));
    }
    keys.resize(kernels.collect(logits.data(), n, block_largest.data(), from, keys.data()));
    ASSERT_EQ(keys, expected);

    constexpr std::uint64_t kUntouched = 12345;
    std::vector<std::uint64_t> masses(keys.size() + 1, kUntouched);
    std::uint64_t sum = 0;
    const std::uint64_t given =
        kernels.masses(keys.data(), keys.size(), law.largest, law.scale, masses.data());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(masses[i], law.mass(logits[token_of(keys[i])])) << "logit " << logits[token_of(keys[i])];
      sum += masses[i];
    }
    ASSERT_EQ(given, sum);
    ASSERT_EQ(masses.back(), kUntouched);
  }
}

// Near the steps of the exponent, where a rounding of another kind would show: neighbouring floats.
TEST_P(SamplingKernelSet, MassesOfNeighbouringLogitsAreTheLaws) {
  const SamplingKernels& kernels = *GetParam();
  for (const float temperature : {1.0f, 0.7f, 0.2f}) {
    const MassLaw law{3.5f, mass_scale(temperature)};
    std::vector<float> logits;
    for (int order = 0; order <= 64; ++order) {
      float z = law.largest - static_cast<float>(order) / law.scale;
      for (int i = 0; i < 20; ++i) z = std::nextafter(z, kInf);
      for (int i = 0; i < 40; ++i, z = std::nextafter(z, -kInf)) logits.push_back(std::min(z, law.largest));
    }
    std::vector<std::uint64_t> keys, masses(logits.size());
    for (std::uint32_t id = 0; id < logits.size(); ++id) keys.push_back(rank_key(logits[id], id));
    kernels.masses(keys.data(), keys.size(), law.largest, law.scale, masses.data());
    for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(masses[i], law.mass(logits[i])) << logits[i];
  }
}

TEST_P(SamplingKernelSet, SeesWhatIsNotFiniteWhereverItIs) {
  const SamplingKernels& kernels = *GetParam();
  for (const std::size_t n : {1u, 63u, 64u, 65u, 200u}) {
    for (std::size_t at = 0; at < n; ++at) {
      for (const float wrong :
           {kInf, std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN()}) {
        std::vector<float> logits(n, 1), block_largest(n);
        EXPECT_TRUE(kernels.scan(logits.data(), n, block_largest.data()).finite);
        logits[at] = wrong;
        EXPECT_FALSE(kernels.scan(logits.data(), n, block_largest.data()).finite) << n << ", " << at;
      }
    }
    std::vector<float> masked(n, -kInf), block_largest(n);
    const LogitScan scanned = kernels.scan(masked.data(), n, block_largest.data());
    EXPECT_TRUE(scanned.finite);
    EXPECT_EQ(scanned.largest, -kInf);
  }
}

TEST(MassLaw, LeastLogitIsTheFirstWithTheMass) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i) {
    const float largest = std::normal_distribution<float>(0, 20)(random);
    const MassLaw law{largest, mass_scale(std::exp(std::normal_distribution<float>(0, 2)(random)))};
    const std::uint64_t mass = std::max<std::uint64_t>(1, (random() >> 20) >> (random() % 44));
    if (mass > std::uint64_t{1} << kMassBits) continue;
    const float least = law.least_logit(mass);
    EXPECT_GE(law.mass(least), mass);
    EXPECT_LE(least, largest);
    if (least == -kLargestFloat) continue;
    EXPECT_LT(law.mass(key_logit(logit_key(least) - 1)), mass);
  }
  // Where even the least logit has it.
  EXPECT_EQ((MassLaw{-kLargestFloat, mass_scale(1)}.least_logit(1)), -kLargestFloat);
}

TEST(RankKey, OrdersByLogitThenId) {
  EXPECT_LT(rank_key(2, 9), rank_key(1, 3));
  EXPECT_LT(rank_key(-1, 9), rank_key(-2, 3));
  EXPECT_LT(rank_key(0.0f, 3), rank_key(-0.0f, 4));
  EXPECT_LT(rank_key(-0.0f, 3), rank_key(0.0f, 4));
  for (const float z : {-3.0f, 0.0f, 1e-45f, -1e-45f, kLargestFloat, -kLargestFloat}) {
    EXPECT_EQ(logit_of(rank_key(z, 77)), z);
    EXPECT_EQ(token_of(rank_key(z, 77)), 77u);
  }
}

}  // namespace
}  // namespace emberline
