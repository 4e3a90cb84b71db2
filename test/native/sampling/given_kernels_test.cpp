// A sampler works with the kernel set it was given: results tell nothing, as every set gives the same bits.
#include <gtest/gtest.h>

#include <cmath>

#include "sampling/sampler.h"

namespace emberline {
namespace {

struct Calls {
  int scan = 0, total_mass = 0, collect = 0, masses = 0;
};
Calls calls;

const SamplingKernels& counted_kernels() {
  static constexpr SamplingKernels kernels = {
      "counted",
      [](const float* logits, std::size_t n, float* block_largest) {
        ++calls.scan;
        return portable_sampling_kernels().scan(logits, n, block_largest);
      },
      [](const float* logits, std::size_t n, const float* block_largest, float least, float largest,
         float scale) {
        ++calls.total_mass;
        return portable_sampling_kernels().total_mass(logits, n, block_largest, least, largest, scale);
      },
      [](const float* logits, std::size_t n, const float* block_largest, float least,
         std::uint64_t* rank_keys) {
        ++calls.collect;
        return portable_sampling_kernels().collect(logits, n, block_largest, least, rank_keys);
      },
      [](const std::uint64_t* rank_keys, std::size_t n, float largest, float scale, std::uint64_t* masses) {
        ++calls.masses;
        return portable_sampling_kernels().masses(rank_keys, n, largest, scale, masses);
      }};
  return kernels;
}

std::vector<float> falling_logits(std::size_t n) {
  std::vector<float> logits(n);
  for (std::size_t i = 0; i < n; ++i) logits[i] = -std::log(static_cast<float>(i + 1));
  return logits;
}

TEST(Sampler, WorksWithTheKernelsItWasGiven) {
  const std::vector<float> logits = falling_logits(3000);
  Sampler sampler(counted_kernels());
  Distribution law;
  const SamplingParams top_p = {.temperature = 1, .top_p = 0.9f}, top_k = {.temperature = 1, .top_k = 40};

  calls = {};
  ASSERT_TRUE(sampler.distribution(logits, {}, top_k, law).ok());
  EXPECT_EQ(calls.scan, 1);
  EXPECT_EQ(calls.total_mass, 0);
  EXPECT_EQ(calls.collect, 1);
  EXPECT_EQ(calls.masses, 2);  // to cut, and those of the law

  calls = {};
  ASSERT_TRUE(sampler.sample(logits, {}, {.temperature = 1}, 0).ok());
  EXPECT_EQ(calls.scan, 1);
  EXPECT_EQ(calls.total_mass, 1);
  EXPECT_EQ(calls.collect, 1);

  calls = {};
  ASSERT_TRUE(sampler.sample(logits, {}, top_p, 0).ok());
  EXPECT_EQ(calls.scan, 1);
  EXPECT_EQ(calls.total_mass, 1);
  EXPECT_GE(calls.collect, 1);
  EXPECT_GE(calls.masses, 2);  // of a sample of blocks, and of what was collected

  calls = {};
  sampler.log_probability(logits, 7);
  EXPECT_EQ(calls.scan, 1);
  EXPECT_EQ(calls.total_mass, 1);
}

}  // namespace
}  // namespace emberline
