// Matrix times 1 to 16 vectors: mat_vec_* and norm_mat_vec_*.
#include <gtest/gtest.h>

#include "launch_shapes.h"
#include "product_launch.h"

namespace emberline::testing {
namespace {

struct Shape {
  std::uint32_t in, out;
};

// Rows shorter than a lane group's round, odd outputs, more than one threadgroup, more than one tile of one
// row; float formats also take columns that are no multiple of anything.
std::vector<Shape> shapes(TensorType type) {
  std::vector<Shape> all = {{32, 1}, {64, 5}, {96, 16}, {576, 35}, {2112, 18}};
  if (traits(type).block_elements == 256) all = {{256, 1}, {512, 5}, {768, 35}, {2304, 18}};
  if (traits(type).block_elements == 1) all.insert(all.end(), {{1, 1}, {7, 3}, {33, 17}, {2051, 9}});
  return all;
}

class MatVec : public ::testing::TestWithParam<TensorType> {
 protected:
  TensorType type() const { return GetParam(); }
  std::string kernel(const std::string& stem) const { return stem + "_" + kernel_suffix(type()); }
  // Of a row: `width`, or the next larger number of columns that is whole blocks.
  std::uint32_t columns(std::uint32_t width) const { return whole_blocks(type(), width); }
};

INSTANTIATE_TEST_SUITE_P(Types, MatVec, ::testing::ValuesIn(kWeightTypes),
                         [](const auto& info) { return type_name(info.param); });

struct Request {
  bool bias = false, accumulate = false, last_row_only = false;
};

// y, which begins as `before`.
std::vector<float> mat_vec(const std::string& kernel, TestMatrix& matrix, const std::vector<float>& x,
                           const std::vector<float>& bias, const std::vector<float>& before, Request request,
                           metal_sim::Order order = {}, metal_sim::Counters* counters = nullptr) {
  const auto rows = static_cast<std::uint32_t>(x.size() / matrix.columns);
  const MatMulParams params{.in = matrix.columns,
                            .out = matrix.rows,
                            .weight_type = type_id(matrix.type),
                            .accumulate = request.accumulate,
                            .last_row_only = request.last_row_only};
  KernelBuffer<float> x_buffer(x), bias_buffer(bias), y(before);
  KernelRun run(kernel);
  run.params(params).bind(0, x_buffer).bind(1, matrix.bytes).bind(3, y).has_bias(request.bias);
  if (request.bias) run.bind(2, bias_buffer);
  run.mat_vec_grid(mat_vec_pairs(matrix.rows), matrix.columns, request.last_row_only ? 1 : rows).rows(rows);
  const metal_sim::Counters counted = run.run(order);
  if (counters != nullptr) *counters = counted;
  return y.copy();
}

TEST_P(MatVec, IsTheProduct) {
  Random random(1);
  for (const Shape shape : shapes(type())) {
    for (const std::uint32_t rows : {1u, 3u}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(shape.in) + " to " +
                   std::to_string(shape.out));
      TestMatrix matrix(type(), shape.out, shape.in, random);
      const std::vector<float> x = random.normals(std::size_t{rows} * shape.in);
      const std::vector<float> before(std::size_t{rows} * shape.out, 99.0f);
      const std::vector<float> y = mat_vec(kernel("mat_vec"), matrix, x, {}, before, {});
      for (std::uint32_t r = 0; r < rows; ++r) {
        const std::vector<double> row = widened(std::span(x).subspan(std::size_t{r} * shape.in, shape.in));
        for (std::uint32_t o = 0; o < shape.out; ++o) {
          ASSERT_NEAR(y[r * shape.out + o], matrix.product(o, row),
                      matrix.tolerance(o, row, mat_vec_roundings(shape.in)))
              << "row " << r << " output " << o;
        }
      }
    }
  }
}

TEST_P(MatVec, ReadsEveryWeightByteOnce) {
  Random random(2);
  for (const Shape shape : shapes(type())) {
    for (const std::uint32_t rows : {1u, 5u}) {
      TestMatrix matrix(type(), shape.out, shape.in, random);
      const std::vector<float> x = random.normals(std::size_t{rows} * shape.in);
      metal_sim::Counters counters;
      mat_vec(kernel("mat_vec"), matrix, x, {}, std::vector<float>(std::size_t{rows} * shape.out), {}, {},
              &counters);
      EXPECT_EQ(counters.bytes_read[3], matrix.bytes.count()) << shape.in << " to " << shape.out;
      EXPECT_EQ(counters.bytes_written[5], std::uint64_t{4} * rows * shape.out);
    }
  }
}

TEST_P(MatVec, GivesEachRowOfABatchWhatItGetsAlone) {
  Random random(3);
  for (const Shape shape : {Shape{columns(64), 5}, Shape{columns(576), 35}, Shape{columns(2112), 3}}) {
    TestMatrix matrix(type(), shape.out, shape.in, random);
    const std::vector<float> x = random.normals(std::size_t{kMatVecMaxRows} * shape.in);
    std::vector<float> alone;
    for (std::uint32_t r = 0; r < kMatVecMaxRows; ++r) {
      const std::vector<float> row(x.begin() + r * shape.in, x.begin() + (r + 1) * shape.in);
      const std::vector<float> y =
          mat_vec(kernel("mat_vec"), matrix, row, {}, std::vector<float>(shape.out), {});
      alone.insert(alone.end(), y.begin(), y.end());
    }
    for (std::uint32_t rows = 2; rows <= kMatVecMaxRows; ++rows) {
      const std::vector<float> batch(x.begin(), x.begin() + rows * shape.in);
      const std::vector<float> y = mat_vec(kernel("mat_vec"), matrix, batch, {},
                                           std::vector<float>(std::size_t{rows} * shape.out), {});
      EXPECT_EQ(y, std::vector<float>(alone.begin(), alone.begin() + rows * shape.out)) << rows << " rows";
    }
  }
}

TEST_P(MatVec, DoesNotDependOnTheOrderOfThreads) {
  Random random(4);
  const std::uint32_t in = columns(576);
  TestMatrix matrix(type(), 35, in, random);
  for (const std::uint32_t rows : {1u, 6u}) {
    const std::vector<float> x = random.normals(std::size_t{rows} * in);
    const std::vector<float> before(std::size_t{rows} * 35);
    const std::vector<float> first = mat_vec(kernel("mat_vec"), matrix, x, {}, before, {});
    for (const metal_sim::Order order : metal_sim::all_orders()) {
      EXPECT_EQ(mat_vec(kernel("mat_vec"), matrix, x, {}, before, {}, order), first);
    }
  }
}

TEST_P(MatVec, AddsABiasAndWhatWasThere) {
  Random random(5);
  const std::uint32_t in = columns(96);
  TestMatrix matrix(type(), 19, in, random);
  const std::vector<float> x = random.normals(2 * in), bias = random.normals(19),
                           before = random.normals(2 * 19);
  for (const bool has_bias : {false, true}) {
    for (const bool accumulate : {false, true}) {
      const std::vector<float> y =
          mat_vec(kernel("mat_vec"), matrix, x, bias, before, {.bias = has_bias, .accumulate = accumulate});
      for (std::uint32_t r = 0; r < 2; ++r) {
        const std::vector<double> row = widened(std::span(x).subspan(std::size_t{r} * in, in));
        for (std::uint32_t o = 0; o < 19; ++o) {
          const double added = (has_bias ? bias[o] : 0) + (accumulate ? before[r * 19 + o] : 0);
          ASSERT_NEAR(y[r * 19 + o], matrix.product(o, row) + added,
                      matrix.tolerance(o, row, mat_vec_roundings(in)) + 0x1p-23 * std::abs(added));
        }
      }
    }
  }
}

TEST_P(MatVec, ComputesTheLastRowOfAnyBatchIntoTheFirst) {
  Random random(6);
  const std::uint32_t in = columns(64);
  TestMatrix matrix(type(), 7, in, random);
  for (const std::uint32_t rows : {1u, 3u, 40u}) {
    const std::vector<float> x = random.normals(std::size_t{rows} * in);
    const std::vector<float> last(x.end() - in, x.end());
    EXPECT_EQ(mat_vec(kernel("mat_vec"), matrix, x, {}, std::vector<float>(7), {.last_row_only = true}),
              mat_vec(kernel("mat_vec"), matrix, last, {}, std::vector<float>(7), {}));
  }
}

std::vector<float> norm_mat_vec(const std::string& kernel, TestMatrix& matrix, const std::vector<float>& x,
                                const std::vector<float>& gain, bool last_row_only,
                                metal_sim::Order order = {}) {
  const auto rows = static_cast<std::uint32_t>(x.size() / matrix.columns);
  const NormMatMulParams params{.width = matrix.columns,
                                .epsilon = 1e-5f,
                                .out = matrix.rows,
                                .weight_type = type_id(matrix.type),
                                .last_row_only = last_row_only};
  const std::uint32_t computed = last_row_only ? 1 : rows;
  KernelBuffer<float> x_buffer(x), gain_buffer(gain), y(std::size_t{computed} * matrix.rows);
  KernelRun run(kernel);
  run.params(params).bind(0, x_buffer).bind(1, gain_buffer).bind(2, matrix.bytes).bind(3, y);
  run.mat_vec_grid(mat_vec_pairs(matrix.rows), matrix.columns, computed).rows(rows);
  run.run(order);
  return y.copy();
}

TEST_P(MatVec, IsTheProductBehindANorm) {
  Random random(7);
  for (const Shape shape : shapes(type())) {
    SCOPED_TRACE(std::to_string(shape.in) + " to " + std::to_string(shape.out));
    TestMatrix matrix(type(), shape.out, shape.in, random);
    // The second row is so small that epsilon decides.
    std::vector<float> x = random.normals(std::size_t{2} * shape.in);
    for (std::uint32_t i = 0; i < shape.in; ++i) x[shape.in + i] *= 1e-3f;
    const std::vector<float> gain = random.normals(shape.in);
    const std::vector<float> y = norm_mat_vec(kernel("norm_mat_vec"), matrix, x, gain, false);
    for (std::uint32_t r = 0; r < 2; ++r) {
      const std::span<const float> row = std::span(x).subspan(std::size_t{r} * shape.in, shape.in);
      const std::vector<double> normed = normalised(row, gain, 1e-5f);
      for (std::uint32_t o = 0; o < shape.out; ++o) {
        ASSERT_NEAR(y[r * shape.out + o], matrix.product(o, normed),
                    matrix.tolerance(o, normed, mat_vec_roundings(shape.in)))
            << "row " << r << " output " << o;
      }
    }
  }
}

TEST_P(MatVec, BehindANormGivesEachRowWhatItGetsAlone) {
  Random random(8);
  const std::uint32_t in = columns(2112);
  TestMatrix matrix(type(), 9, in, random);
  const std::vector<float> gain = random.normals(in);
  const std::vector<float> x = random.normals(std::size_t{kMatVecMaxRows} * in);
  for (const std::uint32_t rows : {2u, 3u, 5u, 9u, 16u}) {
    const std::vector<float> batch(x.begin(), x.begin() + rows * in);
    std::vector<float> alone;
    for (std::uint32_t r = 0; r < rows; ++r) {
      const std::vector<float> row(x.begin() + r * in, x.begin() + (r + 1) * in);
      const std::vector<float> y = norm_mat_vec(kernel("norm_mat_vec"), matrix, row, gain, false);
      alone.insert(alone.end(), y.begin(), y.end());
    }
    for (const metal_sim::Order order : metal_sim::all_orders()) {
      EXPECT_EQ(norm_mat_vec(kernel("norm_mat_vec"), matrix, batch, gain, false, order), alone)
          << rows << " rows";
    }
    EXPECT_EQ(norm_mat_vec(kernel("norm_mat_vec"), matrix, batch, gain, true),
              std::vector<float>(alone.end() - 9, alone.end()));
  }
}

// Two threadgroup sizes: many outputs, too.
TEST_P(MatVec, SpreadsManyOutputsOverLargerThreadgroups) {
  Random random(9);
  const std::uint32_t out = 4097;
  ASSERT_EQ(mat_vec_threads(mat_vec_pairs(out)), 256u);
  const std::uint32_t in = columns(32);
  TestMatrix matrix(type(), out, in, random);
  const std::vector<float> x = random.normals(in);
  const std::vector<float> gain(in, 1.0f);
  const std::vector<double> normed = normalised(x, gain, 1e-5f);
  const std::vector<float> y = norm_mat_vec(kernel("norm_mat_vec"), matrix, x, gain, false);
  for (std::uint32_t o = 0; o < out; ++o) {
    ASSERT_NEAR(y[o], matrix.product(o, normed), matrix.tolerance(o, normed, mat_vec_roundings(in)));
  }
}

// A chain that has ended reads one word of its state, and nothing else.
TEST_P(MatVec, OfAHaltedChainTouchesNothing) {
  Random random(10);
  const std::uint32_t in = columns(64);
  TestMatrix matrix(type(), 9, in, random);
  KernelBuffer<std::uint32_t> state(kChainStateWords);
  KernelBuffer<float> x(random.normals(in)), gain(random.normals(in)), y(9, 5.0f);
  for (const std::uint32_t halted : {0u, 1u, 2u}) {
    state.values()[0] = halted;
    KernelRun run(kernel("norm_mat_vec"));
    run.params(NormMatMulParams{
        .width = in, .epsilon = 1e-5f, .out = 9, .weight_type = type_id(type()), .last_row_only = 0});
    run.bind(0, x).bind(1, gain).bind(2, matrix.bytes).bind(3, y).chained(state);
    const metal_sim::Counters counters = run.mat_vec_grid(mat_vec_pairs(9), in, 1).run();
    if (metal_sim::shipped_kernels().checked()) {
      EXPECT_EQ(counters.bytes_read[4], halted != 0 ? 0 : matrix.bytes.count());
      EXPECT_EQ(counters.bytes_written[5], halted != 0 ? 0u : 36u);
    }
  }
}

}  // namespace
}  // namespace emberline::testing
