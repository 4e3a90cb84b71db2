// The kernels of attention, called directly, for every instruction set.
#include <gtest/gtest.h>

#include <cmath>

#include "base/half.h"
#include "device/cpu/kernels/select_kernels.h"
#include "device/table_harness.h"
#include "reference/random_data.h"

namespace emberline::testing {
namespace {

constexpr double kEpsilon = 1.2e-7;
// What a kernel fetches and does not read: no memory at all.
const void* const kAnywhere = nullptr;

class AttentionKernel : public ::testing::TestWithParam<std::string> {
 protected:
  const Kernels& kernels() const { return *select_kernels(GetParam()).value(); }
  const AttentionKernels& attention() const { return kernels().attention; }

  // Halves, and the floats they stand for.
  struct Numbers {
    std::vector<std::uint16_t> halves;
    std::vector<float> floats;
  };
  Numbers numbers(Random& random, std::size_t count) const {
    Numbers numbers{std::vector<std::uint16_t>(count), std::vector<float>(count)};
    kernels().narrow_to_halves(random.normals(count).data(), count, numbers.halves.data());
    kernels().widen_halves(numbers.halves.data(), count, numbers.floats.data());
    return numbers;
  }
};

// Quants of a key block, or of a chunk's values, and their scales.
struct Quants {
  std::vector<std::int8_t> quants;
  std::vector<float> scales;
};
Quants some_quants(Random& random, std::size_t count, std::size_t scales) {
  Quants made{std::vector<std::int8_t>(count), std::vector<float>(scales)};
  for (std::size_t i = 0; i < count; ++i)
    made.quants[i] = static_cast<std::int8_t>(std::lround(127 * std::sin(random.normals(1)[0] * 9)));
  // Halves, of which a cache has the scales.
  for (float& scale : made.scales) scale = f16_to_f32(f32_to_f16(std::fabs(random.normals(1)[0]) + 1e-6f));
  return made;
}

TEST_P(AttentionKernel, QuantsAreReadAsTheFloatsTheyStandFor) {
  Random random(16);
  for (const std::size_t width : {16u, 48u, 64u, 80u, 128u}) {
    const std::size_t most = 15, blocks = (width + kQuantBlock - 1) / kQuantBlock;
    const Quants keys = some_quants(random, width * kKeyBlock, blocks * kKeyBlock);
    const Quants values = some_quants(random, kAttentionChunk * width, kAttentionChunk * blocks);
    std::vector<float> wide_keys(width * kKeyBlock), wide_values(kAttentionChunk * width);
    attention().widen_key_quants(keys.quants.data(), keys.scales.data(), width, wide_keys.data());
    attention().widen_value_quants(values.quants.data(), values.scales.data(), kAttentionChunk, width,
                                   wide_values.data(), width);
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < kKeyBlock; ++j) {
        const std::size_t at = i * kKeyBlock + j;
        ASSERT_EQ(double{wide_keys[at]},
                  double{keys.scales[i / kQuantBlock * kKeyBlock + j]} * keys.quants[at]);
      }
      for (std::size_t j = 0; j < kAttentionChunk; ++j) {
        const std::size_t at = j * width + i;
        ASSERT_EQ(double{wide_values[at]},
                  double{values.scales[j * blocks + i / kQuantBlock]} * values.quants[at]);
      }
    }
    const std::vector<float> queries = random.normals(most * width),
                             weights = random.normals(most * kAttentionChunk);
    std::vector<std::uint32_t> seen;
    for (std::uint32_t q = 0; q < most; ++q) seen.push_back(1 + q / 2 * 18);
    for (std::size_t count = 1; count <= most; ++count) {
      std::vector<float> expected(most * kAttentionChunk), scores = expected;
      const AttentionQueries some{queries.data(), width, count};
      attention().score(some, wide_keys.data(), width, expected.data());
      attention().score_quants(some, keys.quants.data(), keys.scales.data(), width, kAnywhere, scores.data());
      ASSERT_EQ(scores, expected) << count << " queries of " << width;
      std::vector<float> expected_sums(count * width), sums = expected_sums;
      attention().add_values(weights.data(), seen.data(), count, wide_values.data(), width,
                             expected_sums.data(), width);
      attention().add_value_quants(weights.data(), seen.data(), count, values.quants.data(),
                                   values.scales.data(), width, kAnywhere, sums.data(), width);
      ASSERT_EQ(sums, expected_sums) << count << " queries of " << width;
    }
  }
}

TEST_P(AttentionKernel, WidenedValuesArePadded) {
  Random random(17);
  const Quants values = some_quants(random, 3 * 20, 3);
  std::vector<float> wide(3 * 32, 5.0f);
  attention().widen_value_quants(values.quants.data(), values.scales.data(), 3, 20, wide.data(), 32);
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = 0; i < 32; ++i)
      EXPECT_EQ(wide[j * 32 + i],
                i < 20 ? values.scales[j] * static_cast<float>(values.quants[j * 20 + i]) : 0.0f);
  }
}

// Magnitudes from below the smallest half to above the largest.
TEST_P(AttentionKernel, AQuantIsOffByHalfAScaleAtMost) {
  Random random(18);
  constexpr double kSmallestHalf = 0x1p-24;
  for (const float size : {1e-12f, 1e-7f, 1e-5f, 1e-3f, 1.0f, 300.0f, 1e5f}) {
    for (const std::size_t width : {8u, 20u, 32u, 80u, 128u, 256u}) {
      const std::vector<float> x = random.normals(width, size);
      std::vector<std::int8_t> quants(width);
      std::vector<std::uint16_t> scales((width + kQuantBlock - 1) / kQuantBlock);
      attention().quantize_head(x.data(), width, quants.data(), scales.data());
      for (std::size_t first = 0; first < width; first += kQuantBlock) {
        const std::size_t end = std::min(first + kQuantBlock, width);
        double largest = 0;
        for (std::size_t i = first; i < end; ++i) largest = std::max(largest, std::fabs(double{x[i]}));
        const double scale = f16_to_f32(scales[first / kQuantBlock]);
        EXPECT_GE(scale * (1 + kEpsilon), largest / 127);
        EXPECT_LE(scale, largest / 127 * (1 + 0x1p-10) + kSmallestHalf);
        for (std::size_t i = first; i < end; ++i)
          EXPECT_LE(std::fabs(x[i] - scale * quants[i]), scale * (0.5 + 127 * kEpsilon)) << size;
      }
    }
  }
}

TEST_P(AttentionKernel, ABlockThatIsNotFiniteIsNoNumber) {
  for (const float bad : {NAN, -NAN, INFINITY, -INFINITY}) {
    std::vector<float> x(96, 1.0f);
    x[40] = bad;
    std::fill(x.begin() + 64, x.end(), 0.0f);
    std::vector<std::int8_t> quants(96, 7);
    std::vector<std::uint16_t> scales(3);
    attention().quantize_head(x.data(), 96, quants.data(), scales.data());
    EXPECT_EQ(quants[0], 127);
    EXPECT_TRUE(std::isnan(f16_to_f32(scales[1])));
    EXPECT_EQ(scales[2], 0u);
    EXPECT_EQ(quants[70], 0);
  }
}

TEST_P(AttentionKernel, ScoresAreDotProductsWhateverTheirNumber) {
  Random random(6);
  for (std::size_t width : {1u, 20u, 64u, 128u}) {
    const std::size_t most = 27, stride = width + 3;
    const Numbers keys = numbers(random, width * kKeyBlock);
    const std::vector<float> queries = random.normals(most * stride);
    std::vector<float> expected(most * kAttentionChunk);
    attention().score({queries.data(), stride, most}, keys.floats.data(), width, expected.data());
    for (std::size_t q = 0; q < most; ++q) {
      for (std::size_t j = 0; j < kKeyBlock; ++j) {
        double sum = 0, size = 0;
        for (std::size_t i = 0; i < width; ++i) {
          const double term = double{queries[q * stride + i]} * keys.floats[i * kKeyBlock + j];
          sum += term;
          size += std::fabs(term);
        }
        ASSERT_NEAR(expected[q * kAttentionChunk + j], sum, kEpsilon * (2 + std::sqrt(width)) * size);
      }
    }
    for (std::size_t count = 1; count <= most; ++count) {
      for (const bool halves : {false, true}) {
        std::vector<float> scores(most * kAttentionChunk);
        const AttentionQueries some{queries.data(), stride, count};
        if (halves) {
          attention().score_halves(some, keys.halves.data(), width, kAnywhere, scores.data());
        } else {
          attention().score(some, keys.floats.data(), width, scores.data());
        }
        for (std::size_t q = 0; q < count; ++q) {
          for (std::size_t j = 0; j < kKeyBlock; ++j)
            ASSERT_EQ(scores[q * kAttentionChunk + j], expected[q * kAttentionChunk + j]) << count;
        }
      }
    }
  }
}

TEST_P(AttentionKernel, WeightsAreExponentialsBelowTheLargestScore) {
  Random random(7);
  const std::vector<std::uint32_t> seen = {1, 7, 8, 17, 64, 127, 128};
  std::vector<float> scores = random.normals(seen.size() * kAttentionChunk, 8.0f);
  for (std::size_t q = 0; q < seen.size(); ++q) {  // not to be looked at
    for (std::size_t j = seen[q]; j < kAttentionChunk; ++j) scores[q * kAttentionChunk + j] = NAN;
  }
  const std::vector<float> before = scores;
  std::vector<AttentionState> states(seen.size());
  attention().weigh(scores.data(), seen.data(), seen.size(), states.data());
  for (std::size_t q = 0; q < seen.size(); ++q) {
    const float *given = before.data() + q * kAttentionChunk, *weights = scores.data() + q * kAttentionChunk;
    EXPECT_EQ(states[q].max, *std::max_element(given, given + seen[q]));
    double sum = 0;
    for (std::size_t j = 0; j < seen[q]; ++j) {
      const double weight = std::exp(double{given[j]} - states[q].max);
      EXPECT_NEAR(weights[j], weight,
                  weight * kEpsilon * (2 + std::fabs(double{given[j]} - states[q].max)) * 2);
      sum += weight;
    }
    // Each difference of a score and the largest is rounded, which moves its weight by as many ulp as it is
    // large.
    EXPECT_NEAR(states[q].sum, sum, sum * kEpsilon * 64);
    std::vector<float> alone(given, given + kAttentionChunk);
    AttentionState state{};
    attention().weigh(alone.data(), &seen[q], 1, &state);
    EXPECT_EQ(state.sum, states[q].sum);
    EXPECT_TRUE(std::equal(weights, weights + seen[q], alone.begin()));
  }
  std::vector<float> poisoned(2 * kAttentionChunk, 1.0f);
  poisoned[3] = NAN;
  const std::uint32_t five[] = {5, 5};
  attention().weigh(poisoned.data(), five, 2, states.data());
  EXPECT_TRUE(std::isnan(states[0].sum));
  EXPECT_FALSE(std::isnan(states[1].sum));
}

TEST_P(AttentionKernel, ValuesAreAddedInOrderWhicheverQueriesShareThem) {
  Random random(8);
  for (std::size_t width : {16u, 48u, 64u, 128u}) {
    const std::size_t most = 15;
    const Numbers values = numbers(random, kAttentionChunk * width);
    std::vector<float> weights = random.normals(most * kAttentionChunk);
    std::vector<std::uint32_t> seen;
    for (std::uint32_t q = 0; q < most; ++q) seen.push_back(1 + q / 2 * 18);
    const auto add = [&](std::size_t first, std::size_t count, bool halves) {
      std::vector<float> sums(count * width);
      const float* w = weights.data() + first * kAttentionChunk;
      if (halves) {
        attention().add_value_halves(w, seen.data() + first, count, values.halves.data(), width, kAnywhere,
                                     sums.data(), width);
      } else {
        attention().add_values(w, seen.data() + first, count, values.floats.data(), width, sums.data(),
                               width);
      }
      return sums;
    };
    for (std::size_t q = 0; q < most; ++q) {
      const std::vector<float> alone = add(q, 1, false);
      EXPECT_EQ(add(q, 1, true), alone);
      for (std::size_t i = 0; i < width; ++i) {
        double sum = 0, size = 0;
        for (std::size_t j = 0; j < seen[q]; ++j) {
          const double term = double{weights[q * kAttentionChunk + j]} * values.floats[j * width + i];
          sum += term;
          size += std::fabs(term);
        }
        ASSERT_NEAR(alone[i], sum, kEpsilon * (2 + std::sqrt(seen[q])) * size);
      }
      for (std::size_t count = 1; count <= q + 1; ++count) {
        for (const bool halves : {false, true}) {
          const std::vector<float> together = add(q + 1 - count, count, halves);
          EXPECT_EQ(std::vector<float>(together.end() - static_cast<std::ptrdiff_t>(width), together.end()),
                    alone)
              << count << " queries";
        }
      }
    }
  }
}

TEST_P(AttentionKernel, MergedChunksAreWeighedByTheirLargestScore) {
  const std::size_t width = 16;
  for (const auto& [a, b] : {std::pair{1.0f, 3.5f}, {3.5f, 1.0f}, {-200.0f, 4.0f}, {2.0f, 2.0f}}) {
    AttentionState state{a, 5.0f};
    std::vector<float> sums(width, 7.0f);
    const AttentionState chunk_state{b, 3.0f};
    const std::vector<float> chunk(width, -2.0f);
    attention().merge(&chunk_state, chunk.data(), 1, width, &state, sums.data());
    const double max = std::max(a, b), keep = std::exp(a - max), take = std::exp(b - max);
    EXPECT_EQ(state.max, std::max(a, b));
    EXPECT_NEAR(state.sum, 5 * keep + 3 * take, 8 * 4 * kEpsilon);
    for (float sum : sums) EXPECT_NEAR(sum, 7 * keep - 2 * take, 9 * 4 * kEpsilon);
  }
}

TEST_P(AttentionKernel, AQueryIsMergedAlikeWhicheverOthersAre) {
  Random random(9);
  const std::size_t width = 48, most = 37;
  const auto states = [&random] {
    std::vector<AttentionState> states;
    for (const float max : random.normals(most, 5.0f)) states.push_back({max, 1.0f + std::fabs(max)});
    return states;
  };
  const std::vector<AttentionState> before = states(), chunk_states = states();
  const std::vector<float> sums = random.normals(most * width), chunk = random.normals(most * width);
  std::vector<AttentionState> alone = before;
  std::vector<float> alone_sums = sums;
  for (std::size_t q = 0; q < most; ++q) {
    attention().merge(&chunk_states[q], chunk.data() + q * width, 1, width, &alone[q],
                      alone_sums.data() + q * width);
  }
  for (const std::size_t count : {std::size_t{0}, std::size_t{3}, std::size_t{16}, most}) {
    std::vector<AttentionState> together = before;
    std::vector<float> together_sums = sums;
    attention().merge(chunk_states.data(), chunk.data(), count, width, together.data(), together_sums.data());
    for (std::size_t q = 0; q < most; ++q) {
      const AttentionState& expected = q < count ? alone[q] : before[q];
      EXPECT_EQ(together[q].max, expected.max);
      EXPECT_EQ(together[q].sum, expected.sum);
      const std::vector<float>& from = q < count ? alone_sums : sums;
      EXPECT_TRUE(std::equal(from.begin() + static_cast<std::ptrdiff_t>(q * width),
                             from.begin() + static_cast<std::ptrdiff_t>((q + 1) * width),
                             together_sums.begin() + static_cast<std::ptrdiff_t>(q * width)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllKernels, AttentionKernel, ::testing::ValuesIn(runnable_isas()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace emberline::testing
