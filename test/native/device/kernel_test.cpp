// The kernels that have no op of their own, called directly, for every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "device/cpu/kernels/select_kernels.h"
#include "device/cpu/packed/packed_matrix.h"
#include "device/table_harness.h"
#include "reference/random_data.h"

namespace emberline::testing {
namespace {

// Rows of activations, one after the other, quantised coarsely or finely.
struct QuantizedRows {
  std::vector<std::int8_t> quants, fine;
  std::vector<float> scales, sums;
  std::vector<std::int32_t> offsets, first_offsets;

  QuantizedRows(const Kernels& kernels, const std::vector<float>& x, bool finely)
      : quants(x.size()),
        fine(finely ? x.size() : 0),
        scales(x.size() / 32),
        sums(x.size() / 32),
        offsets(x.size() / 32),
        first_offsets(x.size() / 32) {
    const QuantizedRow to{quants.data(), fine.data(),    scales.data(),
                          sums.data(),   offsets.data(), first_offsets.data()};
    (finely ? kernels.quantize_row_fine : kernels.quantize_row)(x.data(), x.size(), to);
  }
  bool operator==(const QuantizedRows&) const = default;

  ActivationRows rows(const std::vector<float>& x, std::size_t width) const {
    return {x.size() / width,
            width,
            x.data(),
            quants.data(),
            scales.data(),
            sums.data(),
            offsets.data(),
            first_offsets.data(),
            fine.empty() ? nullptr : fine.data()};
  }
};

class Kernel : public ::testing::TestWithParam<std::string> {
 protected:
  const Kernels& kernels() const { return *select_kernels(GetParam()).value(); }
};

// The distance between two floats of the same sign as a count of representable numbers.
double ulps(float actual, double expected) {
  int exponent;
  std::frexp(expected, &exponent);
  return std::fabs(actual - expected) / std::ldexp(1.0, std::max(exponent, -125) - 24);
}

TEST_P(Kernel, ExpIsWithinTwoUlp) {
  std::vector<float> x;
  for (int i = 0; i <= 400000; ++i) x.push_back(static_cast<float>(-87.3 + 175.3 * i / 400000.0));
  for (int i = 0; i < 20000; ++i) x.push_back(static_cast<float>((i - 10000) * 1e-6));
  x.resize(x.size() + 3, -0.0f);  // a tail
  std::vector<float> y(x.size());
  kernels().exp(x.data(), x.size(), y.data());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    worst = std::max(worst, ulps(y[i], std::exp(static_cast<double>(x[i]))));
  EXPECT_LE(worst, 2.0);
}

TEST_P(Kernel, ExpHandlesTheEnds) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {0.0f, -87.4f, -1000.0f, -kInfinity, 89.0f, kInfinity, NAN, 1.0f};
  std::vector<float> y(x.size());
  kernels().exp(x.data(), x.size(), y.data());
  EXPECT_EQ(y[0], 1.0f);
  EXPECT_EQ(y[1], 0.0f);
  EXPECT_EQ(y[2], 0.0f);
  EXPECT_EQ(y[3], 0.0f);
  EXPECT_TRUE(std::isfinite(y[4]) && y[4] > 1.6e38f);
  EXPECT_EQ(y[5], y[4]);
  EXPECT_TRUE(std::isnan(y[6]));
  EXPECT_LE(ulps(y[7], std::exp(1.0)), 2.0);
}

TEST_P(Kernel, QuantizesToTheNearestOf255Levels) {
  Random random(1);
  std::vector<float> x = random.normals(32 * 50, 3.0f);
  std::fill_n(x.begin() + 64, 32, 0.0f);
  std::fill_n(x.begin() + 96, 32, 1e-35f);  // too small to divide by
  const QuantizedRows q(kernels(), x, false);
  for (std::size_t b = 0; b < q.scales.size(); ++b) {
    float largest = 0;
    int sum = 0, first = 0;
    for (std::size_t i = 32 * b; i < 32 * b + 32; ++i) {
      largest = std::max(largest, std::fabs(x[i]));
      sum += q.quants[i];
      if (i % 32 < 16) first = sum;
      EXPECT_NEAR(q.scales[b] * static_cast<float>(q.quants[i]), x[i], q.scales[b] * 0.5001f + 1e-30f);
      EXPECT_GE(q.quants[i], -127);
    }
    EXPECT_EQ(q.scales[b], b == 2 || b == 3 ? 0.0f : largest / 127.0f);
    EXPECT_EQ(q.sums[b], q.scales[b] * static_cast<float>(sum));
    EXPECT_EQ(q.offsets[b], -8 * sum);
    EXPECT_EQ(q.first_offsets[b], -8 * first);
  }
}

TEST_P(Kernel, QuantizesFinelyToTheNearestOf65025Levels) {
  Random random(2);
  std::vector<float> x = random.normals(32 * 50, 3.0f);
  std::fill_n(x.begin() + 64, 32, 0.0f);
  const QuantizedRows q(kernels(), x, true);
  for (std::size_t b = 0; b < q.scales.size(); ++b) {
    float largest = 0;
    int sum = 0, first = 0;
    for (std::size_t i = 32 * b; i < 32 * b + 32; ++i) {
      largest = std::max(largest, std::fabs(x[i]));
      const int level = kFineStep * q.quants[i] + q.fine[i];
      sum += level;
      if (i % 32 < 16) first = sum;
      EXPECT_NEAR(q.scales[b] * static_cast<float>(level), x[i], q.scales[b] * 0.51f + 1e-30f);
      EXPECT_GE(q.quants[i], -127);
      EXPECT_GE(q.fine[i], -127);
    }
    EXPECT_EQ(q.scales[b], largest / 32512.0f);
    EXPECT_EQ(q.sums[b], q.scales[b] * static_cast<float>(sum));
    EXPECT_EQ(q.offsets[b], -8 * sum);
    EXPECT_EQ(q.first_offsets[b], -8 * first);
  }
}

TEST_P(Kernel, MarksBlocksThatAreNotFinite) {
  for (float poison : {NAN, INFINITY, -INFINITY}) {
    for (std::size_t at = 32; at < 64; ++at) {
      std::vector<float> x(64, 1.0f);
      x[at] = poison;
      for (bool finely : {false, true}) {
        const QuantizedRows q(kernels(), x, finely);
        EXPECT_EQ(q.scales[0], 1.0f / (finely ? 32512.0f : 127.0f));
        EXPECT_TRUE(std::isnan(q.scales[1]));
        EXPECT_TRUE(std::isnan(q.sums[1]));
        EXPECT_EQ(q.offsets[1], 0);
        EXPECT_EQ(q.first_offsets[1], 0);
      }
    }
  }
}

TEST_P(Kernel, ConvertsHalves) {
  std::vector<std::uint16_t> halves;
  for (std::uint32_t bits = 0; bits < 0x7C00; bits += 7) halves.push_back(static_cast<std::uint16_t>(bits));
  for (std::uint32_t bits = 0x8000; bits < 0xFC00; bits += 13)
    halves.push_back(static_cast<std::uint16_t>(bits));
  std::vector<float> floats(halves.size());
  kernels().widen_halves(halves.data(), halves.size(), floats.data());
  std::vector<std::uint16_t> back(halves.size());
  kernels().narrow_to_halves(floats.data(), floats.size(), back.data());
  EXPECT_EQ(back, halves);
  const std::vector<float> between = {1.0f + 0x1p-11f, 1.0f + 0x3p-11f, 65519.0f, 65520.0f,       0x1p-25f,
                                      0x1.8p-25f,      -1e-9f,          3.14159f, 2.0f + 0x1p-12f};
  const std::vector<std::uint16_t> nearest_even = {0x3C00, 0x3C02, 0x7BFF, 0x7C00, 0x0000,
                                                   0x0001, 0x8000, 0x4248, 0x4000};
  back.resize(between.size());
  kernels().narrow_to_halves(between.data(), between.size(), back.data());
  EXPECT_EQ(back, nearest_even);
}

TEST_P(Kernel, SumsSquaresToRounding) {
  Random random(4);
  for (std::size_t n : {1u, 7u, 8u, 9u, 576u, 1537u}) {
    const std::vector<float> x = random.normals(n);
    const double expected = norm(x) * norm(x);
    EXPECT_NEAR(kernels().sum_of_squares(x.data(), n), expected,
                expected * 1.2e-7 * (2 + std::sqrt(static_cast<double>(n) / 8.0)));
  }
}

// A matrix of whole panels, with random weights, packed.
struct PackedPanels {
  std::vector<std::uint8_t> packed;
  Panels panels;

  PackedPanels(TensorType type, std::size_t count, std::size_t width, Random& random) {
    const MatrixShape shape{type, count * kPanelRows, width};
    const std::vector<std::uint8_t> source = random_weights(type, shape.rows, width, random);
    packed.resize(shape.packed_bytes());
    pack_panels(shape, source.data(), 0, count, packed.data());
    panels = {packed.data(), shape.panel_bytes(), count};
  }
};

std::vector<float> product(const Kernels& kernels, TensorType type, const Panels& panels,
                           const ActivationRows& x) {
  const std::size_t stride = panels.count * kPanelRows;
  std::vector<float> y(x.rows * stride);
  kernels.product(type)(panels, x, y.data(), stride);
  return y;
}

// Every number of rows that the kernels may take together, and what is left of them.
std::vector<std::size_t> row_counts() {
  std::vector<std::size_t> counts;
  for (std::size_t rows = 1; rows <= 20; ++rows) counts.push_back(rows);
  counts.push_back(64);
  return counts;
}

// The batch a row came in decides nothing, nor do the panels next to a panel.
TEST_P(Kernel, GivesEveryRowAndPanelTheSameBitsInAnyCompany) {
  Random random(9);
  const std::size_t panels = 5;
  for (TensorType type : kWeightTypes) {
    const std::size_t width = whole_blocks(type, std::size_t{64});
    const std::vector<float> x = random.normals(64 * width);
    const PackedPanels weights(type, panels, width, random);
    for (const bool finely : {false, true}) {
      if (finely && !is_quantized(type)) continue;
      const QuantizedRows q(kernels(), x, finely);
      ActivationRows rows = q.rows(x, width);
      const std::vector<float> expected = product(kernels(), type, weights.panels, rows);
      for (std::size_t count : row_counts()) {
        SCOPED_TRACE(type_name(type) + ", rows: " + std::to_string(count));
        rows.rows = count;
        const std::vector<float> together = product(kernels(), type, weights.panels, rows);
        ASSERT_TRUE(std::equal(together.begin(), together.end(), expected.begin()));
        for (std::size_t p = 0; p < panels; ++p) {
          const Panels one{weights.panels.data + p * weights.panels.panel_bytes, weights.panels.panel_bytes,
                           1};
          const std::vector<float> alone = product(kernels(), type, one, rows);
          for (std::size_t i = 0; i < alone.size(); ++i) {
            const std::size_t row = i / kPanelRows, column = p * kPanelRows + i % kPanelRows;
            ASSERT_EQ(alone[i], expected[row * panels * kPanelRows + column]);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllKernels, Kernel, ::testing::ValuesIn(runnable_isas()),
                         [](const auto& info) { return info.param; });

// Integer dot products are exact, so sets may differ by the rounding of fused multiply-adds alone; all but
// the portable set fuse, and then agree in every bit where the weights are quantised.
void expect_sets_agree(bool finely) {
  Random random(8);
  const std::size_t rows = 3;
  for (TensorType type : kWeightTypes) {
    const std::size_t width = whole_blocks(type, std::size_t{576});
    const std::vector<float> x = random.normals(rows * width);
    const QuantizedRows q(portable_kernels(), x, finely);
    const ActivationRows activations = q.rows(x, width);
    const PackedPanels weights(type, 2, width, random);
    const std::vector<float> portable = product(portable_kernels(), type, weights.panels, activations);
    std::vector<float> fused;
    for (const std::string& isa : runnable_isas()) {
      SCOPED_TRACE(isa + " " + type_name(type));
      const Kernels& kernels = *select_kernels(isa).value();
      EXPECT_TRUE(QuantizedRows(kernels, x, finely) == q);
      const std::vector<float> actual = product(kernels, type, weights.panels, activations);
      for (std::size_t i = 0; i < actual.size(); ++i) {
        // Weights and activations have about unit size: |w||x| is about the width.
        ASSERT_NEAR(actual[i], portable[i], 1.2e-7 * static_cast<double>(width) * 4);
      }
      if (isa == "portable" || !is_quantized(type)) continue;
      if (fused.empty()) fused = actual;
      ASSERT_EQ(actual, fused);
    }
  }
}

TEST(KernelSets, AgreeOnQuantizedProductsToRounding) {
  expect_sets_agree(false);
}
TEST(KernelSets, AgreeOnFinelyQuantizedProductsToRounding) {
  expect_sets_agree(true);
}

// Where the integers of a packed block lie, in bytes.
struct IntegerBytes {
  std::size_t begin, end;
};
IntegerBytes integer_bytes(TensorType type) {
  switch (type) {
    case TensorType::kQ4_0: return {0, offsetof(PackedQ4_0, d)};
    case TensorType::kQ4_1: return {0, offsetof(PackedQ4_1, d)};
    case TensorType::kQ5_0: return {0, offsetof(PackedQ5_0, d)};
    case TensorType::kQ5_1: return {0, offsetof(PackedQ5_1, d)};
    case TensorType::kQ8_0: return {0, offsetof(PackedQ8_0, d)};
    case TensorType::kIQ4_NL: return {0, offsetof(PackedIQ4_NL, d)};
    case TensorType::kMXFP4: return {0, offsetof(PackedMXFP4, d)};
    case TensorType::kQ2_K: return {offsetof(PackedQ2_K, parts), sizeof(PackedQ2_K)};
    case TensorType::kQ3_K: return {offsetof(PackedQ3_K, parts), sizeof(PackedQ3_K)};
    case TensorType::kQ4_K: return {offsetof(PackedQ4_K, parts), sizeof(PackedQ4_K)};
    case TensorType::kQ5_K: return {offsetof(PackedQ5_K, parts), sizeof(PackedQ5_K)};
    case TensorType::kIQ4_XS: return {offsetof(PackedIQ4_XS, parts), sizeof(PackedIQ4_XS)};
    default: return {offsetof(PackedQ6_K, parts), sizeof(PackedQ6_K)};
  }
}

// The largest integers of weights and activations, of either sign: no sum on the way may overflow. Terms have
// about unit size; an overflow is off by hundreds of them.
TEST(KernelSets, AgreeOnTheLargestProducts) {
  Random random(10);
  const std::size_t rows = 5;
  for (const float sign : {1.0f, -1.0f}) {
    for (TensorType type : kWeightTypes) {
      if (!is_quantized(type)) continue;
      const std::size_t width = whole_blocks(type, std::size_t{64});
      const std::vector<float> x(rows * width, sign);
      for (const int byte : {0x00, 0x7F, 0x80, 0xFF}) {
        PackedPanels weights(type, 1, width, random);
        const std::size_t blocks = width / std::max<std::size_t>(32, traits(type).block_elements);
        const std::size_t block_bytes = weights.panels.panel_bytes / blocks;
        const IntegerBytes integers = integer_bytes(type);
        for (std::size_t i = 0; i < weights.packed.size(); ++i) {
          if (i % block_bytes >= integers.begin && i % block_bytes < integers.end)
            weights.packed[i] = static_cast<std::uint8_t>(byte);
        }
        for (const bool finely : {false, true}) {
          const QuantizedRows q(portable_kernels(), x, finely);
          const std::vector<float> portable =
              product(portable_kernels(), type, weights.panels, q.rows(x, width));
          for (const std::string& isa : runnable_isas()) {
            SCOPED_TRACE(isa + " " + type_name(type) + " " + std::to_string(byte));
            const std::vector<float> actual =
                product(*select_kernels(isa).value(), type, weights.panels, q.rows(x, width));
            for (std::size_t i = 0; i < actual.size(); ++i)
              ASSERT_NEAR(actual[i], portable[i],
                          1.2e-7 * 4 * static_cast<double>(width) + 1e-6 * std::fabs(portable[i]));
          }
        }
      }
    }
  }
}

TEST(KernelSets, AreSelectedByName) {
  EXPECT_STREQ(select_kernels("portable").value()->isa, "portable");
  EXPECT_STREQ(select_kernels("auto").value()->isa, runnable_isas().back().c_str());
  EXPECT_EQ(select_kernels("sse9").code(), ErrorCode::kInvalidArgument);
  if (runnable_isas().size() == 1) {
    EXPECT_EQ(select_kernels("avx2").code(), ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace emberline::testing
