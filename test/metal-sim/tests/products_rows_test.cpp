// Kernels that work row by row: embedding_*, rms_norm, rope_kv_write, gated_unit, soft_cap.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/half.h"
#include "device/gate_reference.h"
#include "launch_shapes.h"
#include "paged_test_cache.h"
#include "product_launch.h"
#include "rotation_reference.h"

namespace emberline::testing {
namespace {

class Embedding : public ::testing::TestWithParam<TensorType> {
 protected:
  std::string kernel() const { return "embedding_" + kernel_suffix(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Types, Embedding, ::testing::ValuesIn(kWeightTypes),
                         [](const auto& info) { return type_name(info.param); });

TEST_P(Embedding, ReadsTheTokensAtTheirPositions) {
  Random random(1);
  std::vector<std::uint32_t> widths = {32, 576, 4128};
  if (traits(GetParam()).block_elements == 1) widths.push_back(35);
  for (const std::uint32_t narrow : widths) {
    const std::uint32_t width = whole_blocks(GetParam(), narrow);
    TestMatrix table(GetParam(), 11, width, random);
    KernelBuffer<std::uint32_t> tokens(std::vector<std::uint32_t>{99, 99, 10, 0, 10, 7, 99});
    for (const metal_sim::Order order : metal_sim::all_orders()) {
      KernelBuffer<float> out(std::size_t{4} * width);
      KernelRun run(kernel());
      run.params(EmbeddingParams{
          .width = width, .vocabulary = 11, .weight_type = type_id(GetParam()), .position = 2});
      run.bind(0, tokens).bind(1, table.bytes).bind(2, out).rows(4);
      run.grid({4, 1, 1}, kRowKernelThreads);
      const metal_sim::Counters counters = run.run(order);
      if (metal_sim::shipped_kernels().checked()) {
        EXPECT_EQ(counters.bytes_read[3], table.bytes.count() / 11 * 4);
      }
      for (std::uint32_t r = 0; r < 4; ++r) {
        const std::vector<double>& row = table.values[tokens.values()[2 + r]];
        for (std::uint32_t i = 0; i < width; ++i) {
          // scale * q + offset rounds once; the scale of a super-block's group is exact in 24 bits.
          ASSERT_NEAR(out.values()[r * width + i], row[i], 0x1p-24 * (std::abs(row[i]) + 1e-30))
              << "row " << r << " element " << i;
        }
      }
    }
  }
}

TEST(EmbeddingOfAChain, HaltsItWhenTheHostHasCancelled) {
  Random random(2);
  TestMatrix table(TensorType::kF32, 3, 32, random);
  KernelBuffer<std::uint32_t> tokens(std::vector<std::uint32_t>{0, 0, 0, 0, 0, 2});
  for (const bool indirect : {false, true}) {
    KernelBuffer<std::uint32_t> state(kChainStateWords);
    KernelBuffer<std::uint32_t> grids(std::vector<std::uint32_t>{2, 4, 1, 1, 5, 2, 1, 77});
    KernelBuffer<float> out(32, 9.0f);
    KernelRun run("embedding_f32");
    run.params(EmbeddingParams{.width = 32, .vocabulary = 3, .weight_type = 0, .position = 5});
    run.bind(0, tokens).bind(1, table.bytes).bind(2, out).chained(state).grid({1, 1, 1}, kRowKernelThreads);
    if (indirect) run.indirect(grids);
    auto* chain = reinterpret_cast<ChainState*>(state.values().data());

    run.run();
    EXPECT_EQ(chain->halted, 0u);
    EXPECT_EQ(out.values()[1], static_cast<float>(table.values[2][1]));

    for (float& value : out.values()) value = 9.0f;
    chain->cancel = 1;
    const metal_sim::Counters counters = run.run();
    EXPECT_EQ(chain->halted, 2u);
    EXPECT_EQ(chain->end, 5u);
    EXPECT_EQ(counters.bytes_read[3], 0u);
    EXPECT_EQ(out.copy(), std::vector<float>(32, 9.0f));
    const std::vector<std::uint32_t> zeroed = {2, 0, 0, 0, 0, 0, 0, 77};
    EXPECT_EQ(grids.copy(), indirect ? zeroed : (std::vector<std::uint32_t>{2, 4, 1, 1, 5, 2, 1, 77}));

    // A chain that stopped by itself keeps its reason and its end.
    chain->halted = 1;
    chain->end = 4;
    run.run();
    EXPECT_EQ(chain->halted, 1u);
    EXPECT_EQ(chain->end, 4u);
  }
}

TEST(RmsNorm, IsTheNorm) {
  Random random(3);
  for (const std::uint32_t width : {1u, 33u, 256u, 1000u}) {
    const std::uint32_t rows = 3;
    std::vector<float> x = random.normals(std::size_t{rows} * width);
    for (std::uint32_t i = 0; i < width; ++i) x[width + i] *= 1e-3f;  // epsilon decides
    for (std::uint32_t i = 0; i < width; ++i) x[2 * width + i] = 0;
    const std::vector<float> gain = random.normals(width);
    std::vector<float> first;
    for (const metal_sim::Order order : metal_sim::all_orders()) {
      KernelBuffer<float> x_buffer(x), gains(gain), out(x.size());
      KernelRun run("rms_norm");
      run.params(RmsNormParams{.width = width, .epsilon = 1e-5f})
          .bind(0, x_buffer)
          .bind(1, gains)
          .bind(2, out);
      run.rows(rows).grid({rows, 1, 1}, kRowKernelThreads).run(order);
      if (first.empty()) first = out.copy();
      EXPECT_EQ(out.copy(), first);
    }
    for (std::uint32_t r = 0; r < rows; ++r) {
      const std::vector<double> expected =
          normalised(std::span(x).subspan(std::size_t{r} * width, width), gain, 1e-5f);
      for (std::uint32_t i = 0; i < width; ++i) {
        // Squares of one thread, five steps across a simdgroup, eight simdgroups, a root, two products.
        ASSERT_NEAR(first[r * width + i], expected[i], std::abs(expected[i]) * (width / 256 + 24) * 0x1p-24);
      }
    }
  }
}

TEST(SoftCap, IsTheTangent) {
  Random random(9);
  for (const float cap : {0.5f, 30.0f}) {
    for (const std::uint32_t width : {1u, 255u, 600u}) {
      std::vector<float> x = random.normals(std::size_t{3} * width, 20.0f);
      x[0] = 1e30f;  // exp overflows
      x[width] = -1e30f;
      x[2 * width] = 0;
      KernelBuffer<float> capped(x);
      KernelRun run("soft_cap");
      run.params(SoftCapParams{width, cap, 0}).bind(0, capped).rows(3);
      run.grid({(width + kRowKernelThreads - 1) / kRowKernelThreads, 3, 1}, kRowKernelThreads).run();
      for (std::size_t i = 0; i < x.size(); ++i) {
        // An exponential, a quotient and their difference: a few roundings of the cap.
        ASSERT_NEAR(capped.values()[i], cap * std::tanh(x[i] / double{cap}), 8 * cap * 0x1p-24) << x[i];
      }
    }
  }
}

TEST(RmsNorm, IsAddedToWhatIsBoundOrToTheOutput) {
  Random random(8);
  const std::uint32_t width = 300, rows = 2;
  const std::vector<float> x = random.normals(rows * width), gain = random.normals(width),
                           before = random.normals(rows * width);
  for (const bool apart : {false, true}) {
    KernelBuffer<float> x_buffer(x), gains(gain), addend(before), out(before);
    if (apart) std::ranges::fill(out.values(), 77.0f);
    KernelRun run("rms_norm");
    run.params(RmsNormParams{.width = width, .epsilon = 1e-5f, .accumulate = 1});
    run.bind(0, x_buffer).bind(1, gains).bind(2, out).has_added(apart);
    if (apart) run.bind(4, addend);
    run.rows(rows).grid({rows, 1, 1}, kRowKernelThreads).run();
    for (std::uint32_t r = 0; r < rows; ++r) {
      const std::vector<double> normed =
          normalised(std::span(x).subspan(std::size_t{r} * width, width), gain, 1e-5f);
      for (std::uint32_t i = 0; i < width; ++i) {
        const double expected = before[r * width + i] + normed[i];
        ASSERT_NEAR(out.values()[r * width + i], expected,
                    (std::abs(normed[i]) * 26 + std::abs(expected)) * 0x1p-24);
      }
    }
  }
}

// Both activations are z / (1 + exp(exponent)).
double gate_exponent(double z, std::uint32_t activation) {
  return activation == kGateSilu ? -z : -2 * std::sqrt(2 / std::numbers::pi) * (z + 0.044715 * z * z * z);
}

TEST(GatedUnit, IsTheGate) {
  Random random(4);
  for (const std::uint32_t activation : {kGateSilu, kGateGeluTanh}) {
    for (const std::uint32_t width : {1u, 255u, 600u}) {
      std::vector<float> gate = random.normals(std::size_t{3} * width, 4.0f),
                         up = random.normals(gate.size());
      gate[0] = -200;  // exp overflows
      KernelBuffer<float> gates(gate), ups(up), out(gate.size());
      KernelRun run("gated_unit");
      run.params(GatedUnitParams{.width = width, .activation = activation}).activation(activation);
      run.bind(0, gates).bind(1, ups).bind(2, out).rows(3);
      const metal_sim::Counters counters =
          run.grid({(width + kRowKernelThreads - 1) / kRowKernelThreads, 3, 1}, kRowKernelThreads).run();
      if (metal_sim::shipped_kernels().checked()) {
        EXPECT_EQ(counters.bytes_read[2], gate.size() * 4);
        EXPECT_EQ(counters.bytes_written[4], gate.size() * 4);
      }
      for (std::size_t i = 0; i < gate.size(); ++i) {
        const double expected = gate_reference(gate[i], activation) * up[i];
        // A few roundings of an exponent of magnitude e are a relative error of e * 2^-22 of the result; and
        // the reference's own 1 + tanh cancels to units of double precision.
        const double exponent = std::abs(gate_exponent(gate[i], activation));
        const double cancelled = std::abs(double{gate[i]} * up[i]) * 0x1p-51;
        ASSERT_NEAR(out.values()[i], expected,
                    std::abs(expected) * (exponent + 4) * 0x1p-22 + cancelled + 1e-37)
            << gate[i] << " activation " << activation;
      }
    }
  }
}

// What is normed together: each head by itself, or all of them.
TEST(QkNormRope, NormsAndRotatesQueriesInPlaceAndKeysIntoTheCache) {
  struct Shape {
    std::uint32_t query_heads, kv_heads, head_width, rotary_width, style;
    bool all_heads;
  };
  const Shape shapes[] = {{3, 1, 64, 64, 1, false},
                          {4, 2, 128, 128, 0, false},
                          {2, 1, 256, 128, 1, false},
                          {4, 2, 16, 16, 1, true},
                          {8, 8, 128, 128, 1, true}};
  Random random(7);
  for (const Shape& shape : shapes) {
    SCOPED_TRACE("head width " + std::to_string(shape.head_width));
    const std::uint32_t rows = 5, position = 253;  // crosses a page
    const std::uint32_t q_width = shape.query_heads * shape.head_width,
                        kv_width = shape.kv_heads * shape.head_width;
    const std::uint32_t q_part = shape.all_heads ? q_width : shape.head_width,
                        k_part = shape.all_heads ? kv_width : shape.head_width;
    const std::vector<float> q = random.normals(std::size_t{rows} * q_width, 5.0f),
                             k = random.normals(std::size_t{rows} * kv_width, 0.1f),
                             v = random.normals(std::size_t{rows} * kv_width);
    const std::vector<float> query_gain = random.normals(q_part), key_gain = random.normals(k_part);
    std::vector<float> first_q;
    for (const metal_sim::Order order : metal_sim::all_orders()) {
      PagedTestCache cache(kv_width);
      KernelBuffer<float> queries(q), keys(k), values(v), query_gains(query_gain), key_gains(key_gain);
      KernelRun run("qk_norm_rope");
      run.params(QkNormRopeParams{.position = position,
                                  .query_heads = shape.query_heads,
                                  .kv_heads = shape.kv_heads,
                                  .head_width = shape.head_width,
                                  .rotary_width = shape.rotary_width,
                                  .style = shape.style,
                                  .theta = 10000.0f,
                                  .context = PagedTestCache::kContext,
                                  .page_stride = cache.page_stride,
                                  .epsilon = 1e-5f,
                                  .query_part = q_part,
                                  .key_part = k_part});
      run.bind(0, queries).bind(1, keys).bind(2, values).bind(3, cache.keys).bind(4, cache.values);
      run.bind(5, cache.pages).bind(7, query_gains).bind(8, key_gains).rows(rows);
      run.grid({qk_norm_groups(q_width / q_part, kv_width / k_part, shape.kv_heads), rows, 1},
               qk_norm_threads(q_part, k_part))
          .run(order);
      if (first_q.empty()) first_q = queries.copy();
      EXPECT_EQ(queries.copy(), first_q);
      EXPECT_EQ(PagedTestCache::written(cache.keys) + PagedTestCache::written(cache.values),
                std::size_t{2} * rows * kv_width);
      const RotationShape rotation{shape.head_width, shape.rotary_width, shape.style, 10000.0f};
      const auto turned = [&](const std::vector<float>& from, const std::vector<float>& gain, std::uint32_t r,
                              std::uint32_t width) {
        std::vector<double> row;
        for (std::size_t at = std::size_t{r} * width; at < std::size_t{r + 1} * width; at += gain.size()) {
          const std::vector<double> part = normalised(std::span(from).subspan(at, gain.size()), gain, 1e-5f);
          row.insert(row.end(), part.begin(), part.end());
        }
        rotate_row(row, rotation, position + r);
        return row;
      };
      for (std::uint32_t r = 0; r < rows; ++r) {
        const std::vector<double> q_row = turned(q, query_gain, r, q_width),
                                  k_row = turned(k, key_gain, r, kv_width);
        // Normed elements are of up to 5, times gains of up to 5; the norm rounds 32 times.
        const double tolerance = rotation_tolerance(position + r, 2 * 25.0) + 25 * 32 * 0x1p-24;
        for (std::uint32_t i = 0; i < q_width; ++i)
          ASSERT_NEAR(first_q[r * q_width + i], q_row[i], tolerance) << "row " << r << " element " << i;
        const std::size_t at = cache.row_at(position + r);
        for (std::uint32_t i = 0; i < kv_width; ++i) {
          ASSERT_NEAR(f16_to_f32(cache.keys.values()[at + i]), k_row[i],
                      tolerance + half_tolerance(k_row[i]));
          ASSERT_EQ(cache.values.values()[at + i], f32_to_f16(v[r * kv_width + i]));
        }
      }
    }
  }
}

TEST(RopeKvWrite, RotatesQueriesInPlaceAndKeysIntoTheCache) {
  struct Shape {
    std::uint32_t query_heads, kv_heads, head_width, rotary_width, style;
  };
  const Shape shapes[] = {
      {1, 1, 64, 64, 0}, {3, 1, 64, 64, 1}, {4, 1, 80, 32, 1}, {8, 1, 96, 48, 0}, {6, 2, 128, 128, 1}};
  Random random(5);
  for (const Shape& shape : shapes) {
    SCOPED_TRACE("head width " + std::to_string(shape.head_width));
    const std::uint32_t rows = 19, position = 245;  // crosses a page
    const std::uint32_t q_width = shape.query_heads * shape.head_width,
                        kv_width = shape.kv_heads * shape.head_width;
    const std::vector<float> q = random.normals(std::size_t{rows} * q_width);
    const std::vector<float> k = random.normals(std::size_t{rows} * kv_width);
    const std::vector<float> v = random.normals(std::size_t{rows} * kv_width);
    std::vector<float> first_q;
    for (const metal_sim::Order order : metal_sim::all_orders()) {
      PagedTestCache cache(kv_width);
      KernelBuffer<float> queries(q), keys(k), values(v);
      KernelRun run("rope_kv_write");
      run.params(RopeKvWriteParams{.position = position,
                                   .query_heads = shape.query_heads,
                                   .kv_heads = shape.kv_heads,
                                   .head_width = shape.head_width,
                                   .rotary_width = shape.rotary_width,
                                   .style = shape.style,
                                   .theta = 10000.0f,
                                   .context = PagedTestCache::kContext,
                                   .page_stride = cache.page_stride});
      run.bind(0, queries).bind(1, keys).bind(2, values).bind(3, cache.keys).bind(4, cache.values);
      const std::uint32_t pairs = rope_pairs(shape.query_heads, shape.kv_heads, shape.head_width);
      run.bind(5, cache.pages).rows(rows);
      run.grid({(pairs + kRowKernelThreads - 1) / kRowKernelThreads, rows, 1}, kRowKernelThreads).run(order);
      if (first_q.empty()) first_q = queries.copy();
      EXPECT_EQ(queries.copy(), first_q);
      EXPECT_EQ(keys.copy(), k);
      EXPECT_EQ(values.copy(), v);
      EXPECT_EQ(PagedTestCache::written(cache.keys) + PagedTestCache::written(cache.values),
                std::size_t{2} * rows * kv_width);

      const RotationShape rotation{shape.head_width, shape.rotary_width, shape.style, 10000.0f};
      for (std::uint32_t r = 0; r < rows; ++r) {
        std::vector<double> q_row = widened(std::span(q).subspan(std::size_t{r} * q_width, q_width));
        std::vector<double> k_row = widened(std::span(k).subspan(std::size_t{r} * kv_width, kv_width));
        rotate_row(q_row, rotation, position + r);
        rotate_row(k_row, rotation, position + r);
        const double tolerance = rotation_tolerance(position + r, 2 * 6.0);  // no normal() is beyond 6 here
        for (std::uint32_t i = 0; i < q_width; ++i)
          ASSERT_NEAR(first_q[r * q_width + i], q_row[i], tolerance);
        const std::size_t at = cache.row_at(position + r);
        for (std::uint32_t i = 0; i < kv_width; ++i) {
          ASSERT_NEAR(f16_to_f32(cache.keys.values()[at + i]), k_row[i],
                      tolerance + half_tolerance(k_row[i]));
          ASSERT_EQ(cache.values.values()[at + i], f32_to_f16(v[r * kv_width + i]));
        }
      }
    }
  }
}

}  // namespace
}  // namespace emberline::testing
