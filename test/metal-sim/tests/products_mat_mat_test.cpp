// The products of prefill: mat_mat_*.
#include <gtest/gtest.h>

#include "launch_shapes.h"
#include "product_launch.h"

namespace emberline::testing {
namespace {

class MatMat : public ::testing::TestWithParam<TensorType> {
 protected:
  std::string kernel() const { return "mat_mat_" + kernel_suffix(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Types, MatMat, ::testing::ValuesIn(kWeightTypes),
                         [](const auto& info) { return type_name(info.param); });

std::vector<float> mat_mat(const std::string& kernel, TestMatrix& matrix, const std::vector<float>& x,
                           const std::vector<float>& bias, const std::vector<float>& before, bool has_bias,
                           bool accumulate, metal_sim::Order order = {}) {
  const auto rows = static_cast<std::uint32_t>(x.size() / matrix.columns);
  KernelBuffer<float> x_buffer(x), bias_buffer(bias), y(before);
  KernelRun run(kernel);
  run.params(MatMulParams{.in = matrix.columns,
                          .out = matrix.rows,
                          .weight_type = type_id(matrix.type),
                          .accumulate = accumulate,
                          .last_row_only = 0});
  run.bind(0, x_buffer).bind(1, matrix.bytes).bind(3, y).has_bias(has_bias).rows(rows);
  if (has_bias) run.bind(2, bias_buffer);
  run.mat_mat_grid(rows, matrix.rows);
  run.run(order);
  return y.copy();
}

// Every column is added by itself, and a residual and a bias behind them.
constexpr std::uint32_t roundings(std::uint32_t columns) {
  return columns + 4;
}

TEST_P(MatMat, IsTheProduct) {
  struct Shape {
    std::uint32_t rows, in, out;
  };
  // Rows, columns and outputs on both sides of a tile's edge.
  std::vector<Shape> shapes = {{17, 32, 64}, {31, 64, 1},    {32, 96, 65},
                               {33, 64, 63}, {64, 160, 130}, {1, 32, 9}};
  if (traits(GetParam()).block_elements == 256) shapes = {{17, 256, 64}, {33, 512, 63}, {1, 256, 9}};
  if (traits(GetParam()).block_elements == 1) {
    shapes.insert(shapes.end(), {{17, 1, 3}, {18, 31, 5}, {40, 35, 66}});
  }
  Random random(1);
  for (const Shape shape : shapes) {
    SCOPED_TRACE(std::to_string(shape.rows) + " x " + std::to_string(shape.in) + " to " +
                 std::to_string(shape.out));
    TestMatrix matrix(GetParam(), shape.out, shape.in, random);
    const std::vector<float> x = random.normals(std::size_t{shape.rows} * shape.in);
    const std::vector<float> y =
        mat_mat(kernel(), matrix, x, {}, std::vector<float>(std::size_t{shape.rows} * shape.out, 99.0f),
                false, false);
    for (std::uint32_t r = 0; r < shape.rows; ++r) {
      const std::vector<double> row = widened(std::span(x).subspan(std::size_t{r} * shape.in, shape.in));
      for (std::uint32_t o = 0; o < shape.out; ++o) {
        ASSERT_NEAR(y[r * shape.out + o], matrix.product(o, row),
                    matrix.tolerance(o, row, roundings(shape.in)))
            << "row " << r << " output " << o;
      }
    }
  }
}

TEST_P(MatMat, AddsABiasAndWhatWasThere) {
  Random random(2);
  const std::uint32_t in = whole_blocks(GetParam(), 96u);
  TestMatrix matrix(GetParam(), 19, in, random);
  const std::vector<float> x = random.normals(18 * in), bias = random.normals(19),
                           before = random.normals(18 * 19);
  for (const bool has_bias : {false, true}) {
    for (const bool accumulate : {false, true}) {
      const std::vector<float> y = mat_mat(kernel(), matrix, x, bias, before, has_bias, accumulate);
      for (std::uint32_t r = 0; r < 18; ++r) {
        const std::vector<double> row = widened(std::span(x).subspan(std::size_t{r} * in, in));
        for (std::uint32_t o = 0; o < 19; ++o) {
          const double added = (has_bias ? bias[o] : 0) + (accumulate ? before[r * 19 + o] : 0);
          ASSERT_NEAR(y[r * 19 + o], matrix.product(o, row) + added,
                      matrix.tolerance(o, row, roundings(in)) + 0x1p-23 * std::abs(added));
        }
      }
    }
  }
}

TEST_P(MatMat, DoesNotDependOnTheOrderOfThreadsOrOnOtherRows) {
  Random random(3);
  const std::uint32_t in = whole_blocks(GetParam(), 96u);
  TestMatrix matrix(GetParam(), 70, in, random);
  const std::vector<float> x = random.normals(64 * in);
  const std::vector<float> all = mat_mat(kernel(), matrix, x, {}, std::vector<float>(64 * 70), false, false);
  for (const metal_sim::Order order : metal_sim::all_orders()) {
    EXPECT_EQ(mat_mat(kernel(), matrix, x, {}, std::vector<float>(64 * 70), false, false, order), all);
  }
  // Rows 23 .. 39 alone.
  const std::vector<float> some(x.begin() + 23 * in, x.begin() + 40 * in);
  EXPECT_EQ(mat_mat(kernel(), matrix, some, {}, std::vector<float>(17 * 70), false, false),
            std::vector<float>(all.begin() + 23 * 70, all.begin() + 40 * 70));
}

}  // namespace
}  // namespace emberline::testing
