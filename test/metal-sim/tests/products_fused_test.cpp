// Fused products of decode: norm_qkv_rope_* and norm_gate_up_*.
#include <gtest/gtest.h>

#include <cmath>

#include "base/half.h"
#include "launch_shapes.h"
#include "paged_test_cache.h"
#include "product_launch.h"
#include "rotation_reference.h"

namespace emberline::testing {
namespace {

class Fused : public ::testing::TestWithParam<TensorType> {
 protected:
  TensorType type() const { return GetParam(); }
  std::string kernel(const std::string& stem) const { return stem + "_" + kernel_suffix(type()); }
};

INSTANTIATE_TEST_SUITE_P(Types, Fused, ::testing::ValuesIn(kWeightTypes),
                         [](const auto& info) { return type_name(info.param); });

struct QkvShape {
  std::uint32_t width, query_heads, kv_heads, head_width, rotary_width, style;
  bool biases;
};

// Everything norm_qkv_rope reads and writes.
struct QkvCase {
  QkvCase(TensorType type, QkvShape shape, std::uint32_t rows, Random& random)
      : shape(shape),
        query(type, shape.query_heads * shape.head_width, shape.width, random),
        key(type, shape.kv_heads * shape.head_width, shape.width, random),
        value(type, shape.kv_heads * shape.head_width, shape.width, random),
        x(random.normals(std::size_t{rows} * shape.width)),
        gain(random.normals(shape.width)),
        query_bias(random.normals(query.rows)),
        key_bias(random.normals(key.rows)),
        value_bias(random.normals(value.rows)) {}

  struct Result {
    std::vector<float> q;
    std::vector<std::uint16_t> keys, values;  // rows of the batch
    std::size_t halves_written = 0;
    metal_sim::Counters counters;
    bool operator==(const Result& other) const {
      return q == other.q && keys == other.keys && values == other.values &&
             halves_written == other.halves_written;
    }
  };

  // Rows first .. first + count, of which row 0 stands at `position`.
  Result run(const std::string& kernel, std::uint32_t position, std::uint32_t first, std::uint32_t count,
             metal_sim::Order order = {}) {
    const std::uint32_t kv_width = shape.kv_heads * shape.head_width;
    PagedTestCache cache(kv_width);
    KernelBuffer<float> x_rows(
        std::vector<float>(x.begin() + first * shape.width, x.begin() + (first + count) * shape.width));
    KernelBuffer<float> gains(gain), bq(query_bias), bk(key_bias), bv(value_bias);
    KernelBuffer<float> q(std::size_t{count} * query.rows);
    KernelRun run(kernel);
    run.params(NormQkvRopeParams{.width = shape.width,
                                 .epsilon = 1e-6f,
                                 .weight_type = type_id(query.type),
                                 .position = position + first,
                                 .query_heads = shape.query_heads,
                                 .kv_heads = shape.kv_heads,
                                 .head_width = shape.head_width,
                                 .rotary_width = shape.rotary_width,
                                 .style = shape.style,
                                 .theta = kTheta,
                                 .context = PagedTestCache::kContext,
                                 .page_stride = cache.page_stride});
    run.bind(0, x_rows).bind(1, gains).bind(2, query.bytes).bind(3, key.bytes).bind(4, value.bytes);
    if (shape.biases) run.bind(5, bq).bind(6, bk).bind(7, bv);
    run.bind(8, q).bind(9, cache.keys).bind(10, cache.values).bind(11, cache.pages).has_bias(shape.biases);
    run.mat_vec_grid(rope_pairs(shape.query_heads, shape.kv_heads, shape.head_width), shape.width, count);

    Result result;
    result.counters = run.run(order);
    result.q = q.copy();
    for (std::uint32_t r = 0; r < count; ++r) {
      const std::size_t at = cache.row_at(position + first + r);
      for (std::uint32_t i = 0; i < kv_width; ++i) {
        result.keys.push_back(cache.keys.values()[at + i]);
        result.values.push_back(cache.values.values()[at + i]);
      }
    }
    result.halves_written = PagedTestCache::written(cache.keys) + PagedTestCache::written(cache.values);
    return result;
  }

  static constexpr float kTheta = 10000.0f;

  QkvShape shape;
  TestMatrix query, key, value;
  std::vector<float> x, gain, query_bias, key_bias, value_bias;
};

// One section of one row: `actual` against products of the normed row, biased and turned.
template <typename Read>
void expect_section(const TestMatrix& matrix, std::span<const double> normed, const std::vector<float>* bias,
                    const RotationShape* rotation, std::uint32_t position, bool halves, Read actual) {
  std::vector<double> expected(matrix.rows);
  for (std::uint32_t o = 0; o < matrix.rows; ++o) {
    expected[o] = matrix.product(o, normed) + (bias != nullptr ? (*bias)[o] : 0);
  }
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  if (rotation != nullptr) rotate_row(expected, *rotation, position);
  for (std::uint32_t o = 0; o < matrix.rows; ++o) {
    // A rotation mixes two elements, whose tolerances are those of any two rows.
    double tolerance = 0;
    const std::uint32_t head = rotation != nullptr ? o / rotation->head_width * rotation->head_width : o;
    const std::uint32_t end = rotation != nullptr ? head + rotation->head_width : o + 1;
    for (std::uint32_t i = head; i < end; ++i) {
      tolerance = std::max(tolerance, matrix.tolerance(i, normed, mat_vec_roundings(matrix.columns)));
    }
    if (rotation != nullptr) tolerance = 2 * tolerance + rotation_tolerance(position, 2 * largest);
    tolerance += largest * 0x1p-23;
    if (halves) tolerance += half_tolerance(expected[o]);
    ASSERT_NEAR(actual(o), expected[o], tolerance) << "element " << o;
  }
}

TEST_P(Fused, NormQkvRopeIsEachOfItsParts) {
  // Group sizes 1, 3, 4 and 8, head widths 64 to 256, partial rotary widths, odd numbers of heads.
  const QkvShape shapes[] = {
      {64, 1, 1, 64, 64, 0, false}, {96, 3, 1, 64, 64, 1, true},    {64, 4, 1, 80, 32, 1, true},
      {64, 8, 1, 96, 48, 0, true},  {64, 3, 3, 128, 128, 1, false}, {32, 2, 1, 256, 64, 1, false},
  };
  Random random(1);
  for (const QkvShape& shape : shapes) {
    const std::uint32_t rows = 3;
    for (const std::uint32_t position : {0u, 254u, 700u}) {
      SCOPED_TRACE("head width " + std::to_string(shape.head_width) + " position " +
                   std::to_string(position));
      QkvCase test(type(), shape, rows, random);
      const QkvCase::Result result = test.run(kernel("norm_qkv_rope"), position, 0, rows);
      const RotationShape rotation{shape.head_width, shape.rotary_width, shape.style, QkvCase::kTheta};
      for (std::uint32_t r = 0; r < rows; ++r) {
        const std::vector<double> normed = normalised(
            std::span(test.x).subspan(std::size_t{r} * shape.width, shape.width), test.gain, 1e-6f);
        expect_section(test.query, normed, shape.biases ? &test.query_bias : nullptr, &rotation, position + r,
                       false, [&](std::uint32_t o) { return result.q[r * test.query.rows + o]; });
        expect_section(test.key, normed, shape.biases ? &test.key_bias : nullptr, &rotation, position + r,
                       true, [&](std::uint32_t o) { return f16_to_f32(result.keys[r * test.key.rows + o]); });
        expect_section(test.value, normed, shape.biases ? &test.value_bias : nullptr, nullptr, position + r,
                       true,
                       [&](std::uint32_t o) { return f16_to_f32(result.values[r * test.value.rows + o]); });
      }
      EXPECT_EQ(result.halves_written, std::size_t{2} * rows * test.key.rows);
    }
  }
}

TEST_P(Fused, NormQkvRopeReadsEveryWeightByteOnce) {
  Random random(2);
  QkvCase test(type(), {96, 3, 1, 64, 64, 1, true}, 5, random);
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
  QkvCase test(type(), {96, 3, 1, 64, 64, 1, true}, kMatVecMaxRows, random);
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

struct GateUpResult {
  std::vector<float> out;
  metal_sim::Counters counters;
};

GateUpResult norm_gate_up(const std::string& kernel, TestMatrix& gate, TestMatrix& up,
                          const std::vector<float>& x, const std::vector<float>& gain,
                          metal_sim::Order order = {}) {
  const auto rows = static_cast<std::uint32_t>(x.size() / gate.columns);
  KernelBuffer<float> x_buffer(x), gains(gain), out(std::size_t{rows} * gate.rows);
  KernelRun run(kernel);
  run.params(NormGateUpParams{.width = gate.columns,
                              .epsilon = 1e-5f,
                              .hidden = gate.rows,
                              .gate_type = type_id(gate.type),
                              .up_type = type_id(up.type)});
  run.bind(0, x_buffer).bind(1, gains).bind(2, gate.bytes).bind(3, up.bytes).bind(4, out);
  GateUpResult result;
  result.counters = run.mat_vec_grid(gate_up_pairs(gate.rows), gate.columns, rows).run(order);
  result.out = out.copy();
  return result;
}

TEST_P(Fused, NormGateUpIsBothProductsAndTheirGate) {
  Random random(4);
  for (const std::uint32_t width : {32u, 96u, 2112u}) {
    for (const std::uint32_t hidden : {1u, 37u}) {
      SCOPED_TRACE(std::to_string(width) + " to " + std::to_string(hidden));
      TestMatrix gate(type(), hidden, width, random), up(type(), hidden, width, random);
      const std::vector<float> x = random.normals(2 * width), gain = random.normals(width, 0.2f);
      const GateUpResult result = norm_gate_up(kernel("norm_gate_up"), gate, up, x, gain);
      EXPECT_EQ(result.counters.bytes_read[4], gate.bytes.count());
      EXPECT_EQ(result.counters.bytes_read[5], up.bytes.count());
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

TEST_P(Fused, NormGateUpGivesEachRowWhatItGetsAlone) {
  Random random(5);
  TestMatrix gate(type(), 37, 96, random), up(type(), 37, 96, random);
  const std::vector<float> x = random.normals(std::size_t{kMatVecMaxRows} * 96), gain = random.normals(96);
  for (const std::uint32_t rows : {2u, 7u, 16u}) {
    std::vector<float> alone;
    for (std::uint32_t r = 0; r < rows; ++r) {
      const std::vector<float> row(x.begin() + r * 96, x.begin() + (r + 1) * 96);
      const std::vector<float> out = norm_gate_up(kernel("norm_gate_up"), gate, up, row, gain).out;
      alone.insert(alone.end(), out.begin(), out.end());
    }
    const std::vector<float> batch(x.begin(), x.begin() + rows * 96);
    for (const metal_sim::Order order : metal_sim::all_orders()) {
      EXPECT_EQ(norm_gate_up(kernel("norm_gate_up"), gate, up, batch, gain, order).out, alone)
          << rows << " rows";
    }
  }
}

}  // namespace
}  // namespace emberline::testing
