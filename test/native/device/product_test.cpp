// Products with every weight type against the reference, on shapes that are no multiple of anything.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "device/cpu/kernels/kernels.h"
#include "device/table_harness.h"
#include "reference/random_data.h"
#include "reference/reference_device.h"

namespace emberline::testing {
namespace {

struct Shape {
  std::uint32_t rows, in, out;
};

struct ProductCase {
  Shape shape;
  TensorType type;
  std::vector<std::uint8_t> weights;
  std::vector<float> x, bias, y;
  bool accumulate = false, last_row_only = false, with_bias = false, fine = false;
};

ProductCase random_case(Shape shape, TensorType type, std::uint64_t seed) {
  Random random(seed);
  shape.in = whole_blocks(type, shape.in);
  ProductCase c{shape, type, random_weights(type, shape.out, shape.in, random), {}, {}, {}};
  c.x = random.normals(shape.rows * shape.in);
  c.bias = random.normals(shape.out);
  c.y = random.normals(shape.rows * shape.out);
  return c;
}

std::vector<float> run_on(Device& device, const ProductCase& c) {
  TableHarness table(device);
  const Binding y = table.floats(c.y);
  const MatMulParams params{c.shape.in,   c.shape.out,     static_cast<std::uint32_t>(c.type),
                            c.accumulate, c.last_row_only, c.fine};
  table.add(Op::kMatMul,
            {table.floats(c.x), table.matrix(c.type, c.shape.out, c.shape.in, c.weights),
             c.with_bias ? table.floats(c.bias) : kAbsent, y},
            params);
  table.run(c.shape.rows);
  return table.read_floats(y, c.y.size());
}

// What a product may differ by from the exact one. Float32 sums: each of the `in` terms is rounded a few
// times, errors add up like a random walk over |w||x|. Quantised activations: each element is off by at most
// 1/2 of its block's step, uniformly distributed, so the dot product's error has the deviation step /
// sqrt(12) |w| over the blocks; 6 deviations are allowed.
double tolerance(const ProductCase& c, std::size_t row, const std::vector<double>& w) {
  const float* x = c.x.data() + row * c.shape.in;
  const bool quantized = traits(c.type).block_elements > 1;
  double w_norm = 0, x_norm = 0, variance = 0, step = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    w_norm += w[i] * w[i];
    x_norm += static_cast<double>(x[i]) * x[i];
    if (quantized && i % 32 == 0) {
      double largest = 0;
      for (int j = 0; j < 32; ++j) largest = std::max(largest, std::fabs(static_cast<double>(x[i + j])));
      step = largest / (c.fine ? 127 * kFineStep + 127 : 127);
    }
    variance += w[i] * w[i] * step * step / 12;
  }
  const double rounding =
      4 * 1.2e-7 * std::sqrt(w_norm * x_norm) * std::max(1.0, std::sqrt(c.shape.in / 8.0));
  return 6 * std::sqrt(variance) + rounding + 1e-6;
}

void expect_close(const ProductCase& c, const std::vector<float>& actual,
                  const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  std::vector<std::vector<double>> weights;
  for (std::size_t out = 0; out < c.shape.out; ++out)
    weights.push_back(widen_row(c.type, c.weights, out, c.shape.in));
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const std::size_t row = c.last_row_only ? c.shape.rows - 1 : i / c.shape.out;
    if (c.last_row_only && i >= c.shape.out) {
      ASSERT_EQ(actual[i], c.y[i]) << "only row 0 may be written";
      continue;
    }
    ASSERT_NEAR(actual[i], expected[i], tolerance(c, row, weights[i % c.shape.out]))
        << "row " << row << " column " << i % c.shape.out;
  }
}

class Product : public ::testing::TestWithParam<std::tuple<std::string, TensorType>> {
 protected:
  std::string isa() const { return std::get<0>(GetParam()); }
  TensorType type() const { return std::get<1>(GetParam()); }
  bool quantized() const { return traits(type()).block_elements > 1; }
};

TEST_P(Product, MatchesTheReferenceOnOddShapes) {
  const auto device = cpu_device(isa(), 2);
  const auto reference = make_reference_device();
  std::vector<Shape> shapes = {{1, 32, 1},   {1, 64, 7},   {2, 96, 8},   {3, 32, 9},
                               {4, 576, 17}, {5, 160, 33}, {9, 1536, 5}, {64, 64, 24}};
  if (!quantized())
    shapes.insert(shapes.end(), {{1, 1, 1}, {1, 7, 3}, {2, 13, 9}, {5, 100, 11}, {3, 577, 2}});
  std::uint64_t seed = 1;
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(::testing::Message() << shape.rows << " x " << shape.in << " x " << shape.out);
    ProductCase c = random_case(shape, type(), seed++);
    for (const bool fine : {false, true}) {
      c.fine = fine;
      expect_close(c, run_on(*device, c), run_on(*reference, c));
    }
  }
}

TEST_P(Product, AddsBiasAndAccumulates) {
  const auto device = cpu_device(isa(), 1);
  const auto reference = make_reference_device();
  for (int flags = 1; flags < 4; ++flags) {
    ProductCase c = random_case({3, 96, 19}, type(), 77);
    c.with_bias = (flags & 1) != 0;
    c.accumulate = (flags & 2) != 0;
    expect_close(c, run_on(*device, c), run_on(*reference, c));
  }
}

TEST_P(Product, ComputesTheLastRowOnly) {
  const auto device = cpu_device(isa(), 2);
  const auto reference = make_reference_device();
  for (std::uint32_t rows : {1u, 6u}) {
    ProductCase c = random_case({rows, 64, 20}, type(), 5);
    c.last_row_only = true;
    expect_close(c, run_on(*device, c), run_on(*reference, c));
  }
}

// The batch a row came in decides nothing: speculative verification and prefix reuse rely on it.
TEST_P(Product, GivesEveryRowTheSameBitsInAnyBatch) {
  const auto device = cpu_device(isa(), 1);
  // 15 rows are one of each group that a kernel may take at a time; 19 blocks, more than it may at a time.
  ProductCase batch = random_case({15, 608, 21}, type(), 9);
  for (const bool fine : {false, true}) {
    batch.fine = fine;
    const std::vector<float> together = run_on(*device, batch);
    const auto width = static_cast<std::ptrdiff_t>(batch.shape.in);
    for (std::size_t r = 0; r < batch.shape.rows; ++r) {
      ProductCase single = batch;
      single.shape.rows = 1;
      const auto row = batch.x.begin() + static_cast<std::ptrdiff_t>(r) * width;
      single.x.assign(row, row + width);
      single.y.assign(21, 0.0f);
      const std::vector<float> alone = run_on(*device, single);
      for (std::size_t i = 0; i < alone.size(); ++i) ASSERT_EQ(alone[i], together[r * 21 + i]) << "row " << r;
    }
  }
}

TEST_P(Product, GivesTheSameBitsForAnyNumberOfThreads) {
  for (std::uint32_t rows : {1u, 6u}) {
    const ProductCase c = random_case({rows, 128, 131}, type(), 11);
    const std::vector<float> expected = run_on(*cpu_device(isa(), 1), c);
    for (int threads = 2; threads <= 4; ++threads)
      EXPECT_EQ(run_on(*cpu_device(isa(), threads), c), expected);
  }
}

TEST_P(Product, CarriesNotFiniteActivationsThrough) {
  const auto device = cpu_device(isa(), 1);
  for (float poison : {NAN, INFINITY, -INFINITY}) {
    ProductCase c = random_case({2, 64, 8}, type(), 3);
    c.x[40] = poison;
    const std::vector<float> y = run_on(*device, c);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_FALSE(std::isfinite(y[i]));
      EXPECT_TRUE(std::isfinite(y[8 + i]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllKernels, Product,
                         ::testing::Combine(::testing::ValuesIn(runnable_isas()),
                                            ::testing::ValuesIn(kWeightTypes)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" + type_name(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace emberline::testing
