// Fused products of decode: norm_qkv_rope_* and norm_gate_up_*.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "device/gate_reference.h"
#include "launch_shapes.h"
#include "product_launch.h"
#include "qkv_case.h"

namespace emberline::testing {
namespace {

class Fused : public ::testing::TestWithParam<TensorType> {
 protected:
  TensorType type() const { return GetParam(); }
  std::string kernel(const std::string& stem) const { return stem + "_" + kernel_suffix(type()); }
};

INSTANTIATE_TEST_SUITE_P(Types, Fused, ::testing::ValuesIn(kWeightTypes),
                         [](const auto& info) { return type_name(info.param); });

TEST_P(Fused, NormQkvRopeIsEachOfItsParts) {
  // Group sizes 1, 3, 4 and 8, head widths 64 to 256, partial rotary widths, odd numbers of heads.
  const QkvShape shapes[] = {
      {64, 1, 1, 64, 64, 0, false}, {96, 3, 1, 64, 64, 1, true},    {64, 4, 1, 80, 32, 1, true},
      {64, 8, 1, 96, 48, 0, true},  {64, 3, 3, 128, 128, 1, false}, {32, 2, 1, 256, 64, 1, false},
  };
  Random random(1);
  for (QkvShape shape : shapes) {
    shape.width = whole_blocks(type(), shape.width);
    const std::uint32_t rows = 3;
    for (const std::uint32_t position : {0u, 254u, 700u}) {
      SCOPED_TRACE("head width " + std::to_string(shape.head_width) + " position " +
                   std::to_string(position));
      QkvCase test(type(), shape, rows, random);
      const QkvCase::Result result = test.run(kernel("norm_qkv_rope"), position, 0, rows);
      EXPECT_EQ(test.error_of(result, position), "");
    }
  }
}

TEST_P(Fused, NormQkvRopeScalesPositions) {
  Random random(7);
  QkvCase test(type(), {whole_blocks(type(), 96u), 3, 1, 64, 48, 1, true}, 3, random);
  for (std::uint32_t i = 0; i < 24; ++i) test.factors.push_back(1.0f + static_cast<float>(i) / 3.0f);
  EXPECT_EQ(test.error_of(test.run(kernel("norm_qkv_rope"), 254, 0, 3), 254), "");
  const QkvCase::Result scaled = test.run(kernel("norm_qkv_rope"), 254, 0, 3);
  test.factors.clear();
  EXPECT_NE(test.error_of(scaled, 254), "") << "the factors decide";
}

TEST_P(Fused, NormQkvRopeReadsEveryWeightByteOnce) {
  Random random(2);
  QkvCase test(type(), {whole_blocks(type(), 96u), 3, 1, 64, 64, 1, true}, 5, random);
  for (const std::uint32_t rows : {1u, 5u}) {
    const metal_sim::Counters counters = test.run(kernel("norm_qkv_rope"), 3, 0, rows).counters;
    EXPECT_EQ(counters.bytes_read[4], test.query.bytes.count());
    EXPECT_EQ(counters.bytes_read[5], test.key.bytes.count());
    EXPECT_EQ(counters.bytes_read[6], test.value.bytes.count());
  }
}

TEST_P(Fused, NormQkvRopeGivesEachRowWhatItGetsAlone) {
  Random random(3);
  const std::uint32_t position = 250;  // the batch crosses a page
  QkvCase test(type(), {whole_blocks(type(), 96u), 3, 1, 64, 64, 1, true}, kMatVecMaxRows, random);
  QkvCase::Result alone;
  for (std::uint32_t r = 0; r < kMatVecMaxRows; ++r) {
    const QkvCase::Result one = test.run(kernel("norm_qkv_rope"), position, r, 1);
    alone.q.insert(alone.q.end(), one.q.begin(), one.q.end());
    alone.keys.insert(alone.keys.end(), one.keys.begin(), one.keys.end());
    alone.values.insert(alone.values.end(), one.values.begin(), one.values.end());
    alone.halves_written += one.halves_written;
  }
  for (const metal_sim::Order order : metal_sim::all_orders()) {
    EXPECT_TRUE(test.run(kernel("norm_qkv_rope"), position, 0, kMatVecMaxRows, order) == alone);
  }
}

struct MixedTypes {
  TensorType queries, values;
};

class MixedFused : public ::testing::TestWithParam<MixedTypes> {};

// As weight_formats.h has them.
INSTANTIATE_TEST_SUITE_P(Types, MixedFused,
                         ::testing::Values(MixedTypes{TensorType::kQ3_K, TensorType::kQ4_K},
                                           MixedTypes{TensorType::kQ3_K, TensorType::kQ5_K},
                                           MixedTypes{TensorType::kQ4_K, TensorType::kQ5_K},
                                           MixedTypes{TensorType::kQ4_K, TensorType::kQ6_K},
                                           MixedTypes{TensorType::kQ5_K, TensorType::kQ6_K}),
                         [](const auto& info) {
                           return type_name(info.param.queries) + "_" + type_name(info.param.values);
                         });

TEST_P(MixedFused, NormQkvRopeIsEachOfItsPartsAndReadsThemOnce) {
  const auto [queries, values] = GetParam();
  const std::string kernel = "norm_qkv_rope_" + kernel_suffix(queries) + "_" + kernel_suffix(values);
  Random random(8);
  for (const QkvShape& shape :
       {QkvShape{512, 4, 2, 64, 64, 0, true}, QkvShape{256, 3, 1, 128, 128, 1, false}}) {
    QkvCase test(queries, values, shape, kMatVecMaxRows, random);
    QkvCase::Result alone;
    for (const std::uint32_t rows : {1u, 3u, kMatVecMaxRows}) {
      const QkvCase::Result result = test.run(kernel, 250, 0, rows);
      EXPECT_EQ(test.error_of(result, 250), "") << rows << " rows";
      EXPECT_EQ(result.counters.bytes_read[4], test.query.bytes.count());
      EXPECT_EQ(result.counters.bytes_read[5], test.key.bytes.count());
      EXPECT_EQ(result.counters.bytes_read[6], test.value.bytes.count());
      if (rows == 1) alone = result;
      EXPECT_TRUE(std::equal(alone.values.begin(), alone.values.end(), result.values.begin()));
    }
  }
}

struct GateUpResult {
  std::vector<float> out;
  metal_sim::Counters counters;
};

GateUpResult norm_gate_up(const std::string& kernel, TestMatrix& gate, TestMatrix& up,
                          const std::vector<float>& x, const std::vector<float>& gain,
                          metal_sim::Order order = {}, std::uint32_t activation = kGateSilu) {
  const auto rows = static_cast<std::uint32_t>(x.size() / gate.columns);
  KernelBuffer<float> x_buffer(x), gains(gain), out(std::size_t{rows} * gate.rows);
  KernelRun run(kernel);
  run.params(NormGateUpParams{.width = gate.columns,
                              .epsilon = 1e-5f,
                              .hidden = gate.rows,
                              .gate_type = type_id(gate.type),
                              .up_type = type_id(up.type),
                              .activation = activation});
  run.bind(0, x_buffer).bind(1, gains).bind(2, gate.bytes).bind(3, up.bytes).bind(4, out);
  run.activation(activation);
  GateUpResult result;
  result.counters = run.mat_vec_grid(gate_up_pairs(gate.rows), gate.columns, rows).run(order);
  result.out = out.copy();
  return result;
}

TEST_P(Fused, NormGateUpIsBothProductsAndTheirGate) {
  Random random(4);
  for (const std::uint32_t narrow : {32u, 96u, 2112u}) {
    const std::uint32_t width = whole_blocks(type(), narrow);
    for (const std::uint32_t hidden : {1u, 37u}) {
      SCOPED_TRACE(std::to_string(width) + " to " + std::to_string(hidden));
      TestMatrix gate(type(), hidden, width, random), up(type(), hidden, width, random);
      const std::vector<float> x = random.normals(2 * width), gain = random.normals(width, 0.2f);
      const GateUpResult result = norm_gate_up(kernel("norm_gate_up"), gate, up, x, gain);
      if (metal_sim::shipped_kernels().checked()) {
        EXPECT_EQ(result.counters.bytes_read[4], gate.bytes.count());
        EXPECT_EQ(result.counters.bytes_read[5], up.bytes.count());
      }
      for (std::uint32_t r = 0; r < 2; ++r) {
        const std::vector<double> normed =
            normalised(std::span(x).subspan(std::size_t{r} * width, width), gain, 1e-5f);
        for (std::uint32_t f = 0; f < hidden; ++f) {
          const double g = gate.product(f, normed), u = up.product(f, normed);
          const double g_off = gate.tolerance(f, normed, mat_vec_roundings(width));
          const double u_off = up.tolerance(f, normed, mat_vec_roundings(width));
          const double silu = g / (1 + std::exp(-g));
          // |silu'| < 1.1; exp and the quotient round, too.
          const double tolerance =
              1.1 * g_off * (std::abs(u) + u_off) + std::abs(silu) * u_off + std::abs(silu * u) * 0x1p-20;
          ASSERT_NEAR(result.out[r * hidden + f], silu * u, tolerance) << "row " << r << " element " << f;
        }
      }
    }
  }
}

TEST_P(Fused, NormGateUpTakesEitherActivation) {
  Random random(6);
  const std::uint32_t in = whole_blocks(type(), 96u);
  TestMatrix gate(type(), 37, in, random), up(type(), 37, in, random);
  const std::vector<float> x = random.normals(in), gain = random.normals(in, 0.2f);
  const std::vector<double> normed = normalised(x, gain, 1e-5f);
  const std::vector<float> out =
      norm_gate_up(kernel("norm_gate_up"), gate, up, x, gain, {}, kGateGeluTanh).out;
  for (std::uint32_t f = 0; f < 37; ++f) {
    const double g = gate.product(f, normed), u = up.product(f, normed);
    const double g_off = gate.tolerance(f, normed, mat_vec_roundings(in));
    const double u_off = up.tolerance(f, normed, mat_vec_roundings(in));
    const double cubic = std::sqrt(2 / std::numbers::pi) * (g + 0.044715 * g * g * g);
    const double gelu = gate_reference(g, kGateGeluTanh);
    // |gelu'| < 1.13; the exponent, exp and the quotient round, too.
    const double tolerance = 1.13 * g_off * (std::abs(u) + u_off) + std::abs(gelu) * u_off +
                             std::abs(gelu * u) * (2 * std::abs(cubic) + 4) * 0x1p-22;
    ASSERT_NEAR(out[f], gelu * u, tolerance) << "element " << f;
  }
}

TEST_P(Fused, NormGateUpGivesEachRowWhatItGetsAlone) {
  Random random(5);
  const std::uint32_t in = whole_blocks(type(), 96u);
  TestMatrix gate(type(), 37, in, random), up(type(), 37, in, random);
  const std::vector<float> x = random.normals(std::size_t{kMatVecMaxRows} * in), gain = random.normals(in);
  for (const std::uint32_t rows : {2u, 7u, 16u}) {
    std::vector<float> alone;
    for (std::uint32_t r = 0; r < rows; ++r) {
      const std::vector<float> row(x.begin() + r * in, x.begin() + (r + 1) * in);
      const std::vector<float> out = norm_gate_up(kernel("norm_gate_up"), gate, up, row, gain).out;
      alone.insert(alone.end(), out.begin(), out.end());
    }
    const std::vector<float> batch(x.begin(), x.begin() + rows * in);
    for (const metal_sim::Order order : metal_sim::all_orders()) {
      EXPECT_EQ(norm_gate_up(kernel("norm_gate_up"), gate, up, batch, gain, order).out, alone)
          << rows << " rows";
    }
  }
}

}  // namespace
}  // namespace emberline::testing
