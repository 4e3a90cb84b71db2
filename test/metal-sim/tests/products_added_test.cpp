// Fused products of decode with a norm in front of them that has its own commands or additions: norm_qkv_*,
// and norm_gate_up_* behind an addition to the residual stream.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "device/gate_reference.h"
#include "launch_shapes.h"
#include "product_launch.h"

namespace emberline::testing {
namespace {

constexpr float kEpsilon = 1e-5f;

// The residual stream of a batch, what is added to it, and the gains of both norms.
struct StreamCase {
  StreamCase(std::uint32_t width, std::uint32_t rows, bool added, Random& random)
      : width(width),
        rows(rows),
        added(added),
        x(random.normals(std::size_t{rows} * width)),
        addition(random.normals(std::size_t{rows} * width, 3.0f)),
        gain(random.normals(width, 0.2f)),
        addition_gain(random.normals(width)) {}

  // Rows first .. first + count alone.
  StreamCase part(std::uint32_t first, std::uint32_t count) const {
    StreamCase other = *this;
    other.rows = count;
    for (auto [from, to] : {std::pair{&x, &other.x}, {&addition, &other.addition}})
      to->assign(from->begin() + first * width, from->begin() + (first + count) * width);
    return other;
  }
  // x + norm(addition), in double precision.
  std::vector<float> sum(std::uint32_t row) const {
    std::vector<float> sums(x.begin() + row * width, x.begin() + (row + 1) * width);
    if (!added) return sums;
    const std::vector<double> normed =
        normalised(std::span(addition).subspan(std::size_t{row} * width, width), addition_gain, kEpsilon);
    for (std::uint32_t i = 0; i < width; ++i) sums[i] = static_cast<float>(sums[i] + normed[i]);
    return sums;
  }
  std::vector<double> normed(std::uint32_t row) const { return normalised(sum(row), gain, kEpsilon); }

  std::uint32_t width, rows;
  bool added;
  std::vector<float> x, addition, gain, addition_gain;
};

struct StreamResult {
  std::vector<std::vector<float>> outputs;
  std::vector<float> sum;
  metal_sim::Counters counters;
  bool operator==(const StreamResult& other) const { return outputs == other.outputs && sum == other.sum; }
};

// What was added, to all digits that a sum of float32 has.
void expect_sums(const StreamResult& result, const StreamCase& test) {
  if (!test.added) return;
  for (std::uint32_t r = 0; r < test.rows; ++r) {
    const std::vector<float> expected = test.sum(r);
    for (std::uint32_t i = 0; i < test.width; ++i) {
      ASSERT_NEAR(result.sum[r * test.width + i], expected[i], (std::abs(expected[i]) + 20) * 0x1p-20)
          << "row " << r << " element " << i;
    }
  }
}

struct QkvMatrices {
  QkvMatrices(TensorType type, TensorType value_type, std::uint32_t q_out, std::uint32_t kv_out,
              std::uint32_t width, Random& random)
      : matrices{TestMatrix(type, q_out, width, random), TestMatrix(type, kv_out, width, random),
                 TestMatrix(value_type, kv_out, width, random)},
        biases{random.normals(q_out), random.normals(kv_out), random.normals(kv_out)} {}

  StreamResult run(const std::string& kernel, const StreamCase& test, bool biased,
                   metal_sim::Order order = {}) {
    KernelBuffer<float> x(test.x), gain(test.gain), addition(test.addition),
        addition_gain(test.addition_gain), sum(test.x.size(), -1.0f);
    KernelRun run(kernel);
    run.params(NormQkvParams{.width = test.width,
                             .epsilon = kEpsilon,
                             .q_out = matrices[0].rows,
                             .kv_out = matrices[1].rows,
                             .q_type = type_id(matrices[0].type),
                             .k_type = type_id(matrices[1].type),
                             .v_type = type_id(matrices[2].type)});
    run.bind(0, x).bind(1, gain).has_bias(biased).has_added(test.added);
    const auto rows_of = [&](std::size_t m) { return std::size_t{test.rows} * matrices[m].rows; };
    KernelBuffer<float> q(rows_of(0), -1.0f), k(rows_of(1), -1.0f), v(rows_of(2), -1.0f);
    KernelBuffer<float> query_bias(biases[0]), key_bias(biases[1]), value_bias(biases[2]);
    run.bind(2, matrices[0].bytes).bind(3, matrices[1].bytes).bind(4, matrices[2].bytes);
    if (biased) run.bind(5, query_bias).bind(6, key_bias).bind(7, value_bias);
    run.bind(8, q).bind(9, k).bind(10, v);
    if (test.added) run.bind(11, addition).bind(12, addition_gain).bind(13, sum);
    run.mat_vec_grid(qkv_pairs(matrices[0].rows, matrices[1].rows), test.width, test.rows);
    StreamResult result;
    result.counters = run.run(order);
    result.outputs = {q.copy(), k.copy(), v.copy()};
    result.sum = sum.copy();
    return result;
  }

  void expect_near(const StreamResult& result, const StreamCase& test, bool biased) const {
    for (std::uint32_t r = 0; r < test.rows; ++r) {
      const std::vector<double> normed = test.normed(r);
      for (std::size_t m = 0; m < 3; ++m) {
        const TestMatrix& matrix = matrices[m];
        for (std::uint32_t o = 0; o < matrix.rows; ++o) {
          const double expected = matrix.product(o, normed) + (biased ? biases[m][o] : 0);
          // The sum of the stream rounds, and with it every element that is normed.
          const double tolerance =
              matrix.tolerance(o, normed, 2 * mat_vec_roundings(test.width)) + std::abs(expected) * 0x1p-22;
          ASSERT_NEAR(result.outputs[m][r * matrix.rows + o], expected, tolerance)
              << "matrix " << m << " row " << r << " element " << o;
        }
      }
    }
  }
  void expect_read_once(const StreamResult& result) const {
    if (!metal_sim::shipped_kernels().checked()) return;
    for (std::uint32_t m = 0; m < 3; ++m)
      EXPECT_EQ(result.counters.bytes_read[4 + m], matrices[m].bytes.count()) << m;
  }

  std::array<TestMatrix, 3> matrices;
  std::array<std::vector<float>, 3> biases;
};

class Added : public ::testing::TestWithParam<TensorType> {
 protected:
  TensorType type() const { return GetParam(); }
  std::string kernel(const std::string& stem) const { return stem + "_" + kernel_suffix(type()); }
};

INSTANTIATE_TEST_SUITE_P(Types, Added, ::testing::ValuesIn(kWeightTypes),
                         [](const auto& info) { return type_name(info.param); });

TEST_P(Added, NormQkvIsEachOfItsPartsAndReadsThemOnce) {
  Random random(1);
  // One tile and several; pairs that end within a matrix of an odd number of rows.
  for (const std::uint32_t narrow : {96u, 2112u}) {
    const std::uint32_t width = whole_blocks(type(), narrow);
    QkvMatrices qkv(type(), type(), 37, 19, width, random);
    for (const bool added : {false, true}) {
      SCOPED_TRACE(std::to_string(width) + (added ? ", added" : ""));
      const StreamCase test(width, 3, added, random);
      const StreamResult result = qkv.run(kernel("norm_qkv"), test, !added);
      qkv.expect_near(result, test, !added);
      qkv.expect_read_once(result);
      expect_sums(result, test);
    }
  }
}

TEST_P(Added, NormQkvGivesEachRowWhatItGetsAlone) {
  Random random(2);
  const std::uint32_t width = whole_blocks(type(), 96u);
  QkvMatrices qkv(type(), type(), 40, 24, width, random);
  const StreamCase test(width, kMatVecMaxRows, true, random);
  for (const std::uint32_t rows : {2u, 7u, kMatVecMaxRows}) {
    StreamResult alone{std::vector<std::vector<float>>(3), {}, {}};
    for (std::uint32_t r = 0; r < rows; ++r) {
      const StreamResult one = qkv.run(kernel("norm_qkv"), test.part(r, 1), true);
      for (std::size_t m = 0; m < 3; ++m)
        alone.outputs[m].insert(alone.outputs[m].end(), one.outputs[m].begin(), one.outputs[m].end());
      alone.sum.insert(alone.sum.end(), one.sum.begin(), one.sum.end());
    }
    for (const metal_sim::Order order : {metal_sim::Order::descending(), metal_sim::Order::seeded(3)})
      EXPECT_TRUE(qkv.run(kernel("norm_qkv"), test.part(0, rows), true, order) == alone) << rows << " rows";
  }
}

TEST_P(Added, NormGateUpAddsToTheStreamFirst) {
  Random random(3);
  const std::uint32_t width = whole_blocks(type(), 96u), hidden = 37;
  TestMatrix gate(type(), hidden, width, random), up(type(), hidden, width, random);
  const StreamCase whole(width, kMatVecMaxRows, true, random);
  const auto run = [&](const StreamCase& test, metal_sim::Order order = {}) {
    KernelBuffer<float> x(test.x), gain(test.gain), addition(test.addition),
        addition_gain(test.addition_gain), sum(test.x.size(), -1.0f), out(std::size_t{test.rows} * hidden);
    KernelRun run(kernel("norm_gate_up"));
    run.params(NormGateUpParams{.width = width,
                                .epsilon = kEpsilon,
                                .hidden = hidden,
                                .gate_type = type_id(type()),
                                .up_type = type_id(type())});
    run.bind(0, x).bind(1, gain).bind(2, gate.bytes).bind(3, up.bytes).bind(4, out).has_added(true);
    run.bind(5, addition).bind(6, addition_gain).bind(7, sum);
    StreamResult result;
    result.counters = run.mat_vec_grid(gate_up_pairs(hidden), width, test.rows).run(order);
    result.outputs = {out.copy()};
    result.sum = sum.copy();
    return result;
  };
  const StreamResult result = run(whole);
  expect_sums(result, whole);
  if (metal_sim::shipped_kernels().checked()) {
    EXPECT_EQ(result.counters.bytes_read[4], gate.bytes.count());
    EXPECT_EQ(result.counters.bytes_read[5], up.bytes.count());
  }
  StreamResult alone{{{}}, {}, {}};
  for (std::uint32_t r = 0; r < whole.rows; ++r) {
    const std::vector<double> normed = whole.normed(r);
    for (std::uint32_t f = 0; f < hidden; ++f) {
      const double g = gate.product(f, normed), u = up.product(f, normed);
      const double g_off = gate.tolerance(f, normed, 2 * mat_vec_roundings(width));
      const double u_off = up.tolerance(f, normed, 2 * mat_vec_roundings(width));
      const double silu = gate_reference(g, kGateSilu);
      // |silu'| < 1.1; exp and the quotient round, too.
      const double tolerance =
          1.1 * g_off * (std::abs(u) + u_off) + std::abs(silu) * u_off + std::abs(silu * u) * 0x1p-20;
      ASSERT_NEAR(result.outputs[0][r * hidden + f], silu * u, tolerance) << "row " << r << " element " << f;
    }
    const StreamResult one = run(whole.part(r, 1));
    alone.outputs[0].insert(alone.outputs[0].end(), one.outputs[0].begin(), one.outputs[0].end());
    alone.sum.insert(alone.sum.end(), one.sum.begin(), one.sum.end());
  }
  EXPECT_TRUE(result == alone);
  EXPECT_TRUE(run(whole, metal_sim::Order::seeded(5)) == alone);
}

// As weight_formats.h has them: queries and keys end where a threadgroup does.
TEST(AddedMixed, NormQkvTakesValuesOfAnotherType) {
  for (const auto& [queries, values] : {std::pair{TensorType::kQ3_K, TensorType::kQ4_K},
                                        {TensorType::kQ3_K, TensorType::kQ5_K},
                                        {TensorType::kQ4_K, TensorType::kQ5_K},
                                        {TensorType::kQ4_K, TensorType::kQ6_K},
                                        {TensorType::kQ5_K, TensorType::kQ6_K}}) {
    Random random(4);
    ASSERT_TRUE(qkv_sections_are_apart(64, 32));
    QkvMatrices qkv(queries, values, 64, 32, 512, random);
    for (const bool added : {false, true}) {
      const std::string kernel = "norm_qkv_" + kernel_suffix(queries) + "_" + kernel_suffix(values);
      SCOPED_TRACE(kernel);
      const StreamCase test(512, 3, added, random);
      const StreamResult result = qkv.run(kernel, test, true);
      qkv.expect_near(result, test, true);
      qkv.expect_read_once(result);
    }
  }
}

}  // namespace
}  // namespace emberline::testing
