// Every basic op but the product against the reference, on every instruction set.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>

#include "device/random_data.h"
#include "device/table_harness.h"
#include "reference/reference_device.h"

namespace emberline::testing {
namespace {

class BasicOp : public ::testing::TestWithParam<std::string> {};

// The largest difference between what the two devices compute.
void expect_near(const std::vector<float>& actual, const std::vector<float>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], tolerance) << "element " << i;
}

// Runs `build_and_run` on the reference and on the CPU with 1 to 4 threads; the CPU's results must agree bit
// for bit.
void compare(const std::string& isa, double tolerance,
             const std::function<std::vector<float>(Device&)>& build_and_run) {
  const std::vector<float> expected = build_and_run(*make_reference_device());
  const std::vector<float> actual = build_and_run(*cpu_device(isa, 1));
  expect_near(actual, expected, tolerance);
  for (int threads = 2; threads <= 4; ++threads) EXPECT_EQ(build_and_run(*cpu_device(isa, threads)), actual);
}

TEST_P(BasicOp, EmbeddingWidensEveryWeightType) {
  for (TensorType type : kWeightTypes) {
    SCOPED_TRACE(type_name(type));
    Random random(21);
    const std::uint32_t width = 96, vocabulary = 37;
    const auto table_bytes = random_weights(type, vocabulary, width, random);
    compare(GetParam(), 1e-6, [&](Device& device) {
      TableHarness table(device);
      const Binding out = table.zeros(5 * width * 4);
      table.add(Op::kEmbedding, {table.words({0, 36, 7, 7, 20}), table.matrix(type, vocabulary, width, table_bytes), out},
                EmbeddingParams{width, vocabulary, static_cast<std::uint32_t>(type)}, Patch::kTokenOffset);
      table.run(5);
      return table.read_floats(out, 5 * width);
    });
  }
}

TEST_P(BasicOp, RmsNorm) {
  for (std::uint32_t width : {1u, 9u, 576u}) {
    Random random(22);
    const auto x = random.normals(3 * width, 5.0f), gain = random.normals(width);
    // A few roundings of values of the size of the gain, and the rounding of the sum of squares.
    const double tolerance = 1.2e-7 * (4 + std::sqrt(width)) * 4 * 3;
    compare(GetParam(), tolerance, [&](Device& device) {
      TableHarness table(device);
      const Binding out = table.zeros(3 * width * 4);
      table.add(Op::kRmsNorm, {table.floats(x), table.floats(gain), out}, RmsNormParams{width, 1e-5f});
      table.run(3);
      return table.read_floats(out, 3 * width);
    });
  }
}

TEST_P(BasicOp, RmsNormOfZerosIsZero) {
  const auto device = cpu_device(GetParam());
  TableHarness table(*device);
  const Binding out = table.floats(std::vector<float>(16, 5.0f));
  table.add(Op::kRmsNorm, {table.zeros(64), table.floats(std::vector<float>(16, 1.0f)), out},
            RmsNormParams{16, 1e-5f});
  table.run(1);
  EXPECT_EQ(table.read_floats(out, 16), std::vector<float>(16, 0.0f));
}

TEST_P(BasicOp, SwiGlu) {
  for (std::uint32_t width : {1u, 300u, 1536u}) {
    Random random(23);
    auto gate = random.normals(4 * width, 4.0f);
    const auto up = random.normals(4 * width);
    gate[0] = 100.0f;
    gate[width] = -100.0f;
    compare(GetParam(), 100 * 4 * 4 * 1.2e-7, [&](Device& device) {
      TableHarness table(device);
      const Binding out = table.zeros(4 * width * 4);
      table.add(Op::kSwiGlu, {table.floats(gate), table.floats(up), out}, SwiGluParams{width});
      table.run(4);
      return table.read_floats(out, 4 * width);
    });
  }
}

struct HeadShape {
  std::uint32_t query_heads, kv_heads, width, rotary;
};
constexpr HeadShape kHeadShapes[] = {
    {9, 3, 64, 64}, {4, 4, 8, 8}, {6, 2, 20, 12}, {2, 1, 128, 64}, {70, 1, 8, 8}};

TEST_P(BasicOp, RopeRotatesAndWritesTheCache) {
  for (const HeadShape& heads : kHeadShapes) {
    for (std::uint32_t style : {0u, 1u}) {
      SCOPED_TRACE(::testing::Message() << "head width " << heads.width << " style " << style);
      Random random(24);
      const std::uint32_t context = 2050, rows = 5, position = 2041;
      const std::size_t q_width = heads.query_heads * heads.width, kv_width = heads.kv_heads * heads.width;
      const auto q = random.normals(rows * q_width), k = random.normals(rows * kv_width),
                 v = random.normals(rows * kv_width);
      // f16 values up to about 4 (half a unit in the last place is 2^-10), and rounding once more where
      // float32 differs.
      compare(GetParam(), 0x1p-9, [&](Device& device) {
        TableHarness table(device);
        const Binding qs = table.floats(q);
        const Binding keys = table.zeros(context * kv_width * 2),
                      values = table.zeros(context * kv_width * 2);
        table.add(Op::kRopeKvWrite, {qs, table.floats(k), table.floats(v), keys, values},
                  RopeKvWriteParams{0, heads.query_heads, heads.kv_heads, heads.width, heads.rotary, style,
                                    10000.0f, context},
                  Patch::kPosition, offsetof(RopeKvWriteParams, position));
        table.run(rows, position);
        auto result = table.read_halves(keys, context * kv_width);
        const auto value_rows = table.read_halves(values, context * kv_width);
        result.insert(result.end(), value_rows.begin(), value_rows.end());
        return result;
      });
      compare(GetParam(), 1e-5, [&](Device& device) {
        TableHarness table(device);
        const Binding qs = table.floats(q);
        const Binding keys = table.zeros(context * kv_width * 2),
                      values = table.zeros(context * kv_width * 2);
        table.add(Op::kRopeKvWrite, {qs, table.floats(k), table.floats(v), keys, values},
                  RopeKvWriteParams{position, heads.query_heads, heads.kv_heads, heads.width, heads.rotary,
                                    style, 10000.0f, context});
        table.run(rows);
        return table.read_floats(qs, rows * q_width);
      });
    }
  }
}

std::vector<float> attend(Device& device, const HeadShape& heads, std::uint32_t rows, std::uint32_t position,
                          float sharpness) {
  Random random(25);
  const std::uint32_t context = position + rows;
  const std::size_t q_width = heads.query_heads * heads.width, kv_width = heads.kv_heads * heads.width;
  TableHarness table(device);
  const Binding keys = table.zeros(context * kv_width * 2), values = table.zeros(context * kv_width * 2);
  const Binding q = table.floats(random.normals(context * q_width, sharpness)),
                out = table.zeros(rows * q_width * 4);
  // A first table fills the cache; rotation is none.
  {
    TableHarness fill(device);
    fill.add(Op::kRopeKvWrite,
             {fill.zeros(context * q_width * 4), fill.floats(random.normals(context * kv_width)),
              fill.floats(random.normals(context * kv_width)), keys, values},
             RopeKvWriteParams{0, heads.query_heads, heads.kv_heads, heads.width, 0, 0, 1.0f, context});
    fill.run(context);
  }
  table.add(Op::kAttention, {q, keys, values, out},
            AttentionParams{0, 0, heads.query_heads, heads.kv_heads, heads.width,
                            1.0f / std::sqrt(static_cast<float>(heads.width)), context},
            Patch::kPositionAndKv, offsetof(AttentionParams, position), offsetof(AttentionParams, kv_length));
  table.run(rows, position);
  return table.read_floats(out, rows * q_width);
}

TEST_P(BasicOp, Attention) {
  for (const HeadShape& heads : kHeadShapes) {
    for (auto [rows, position] : {std::pair{1u, 0u}, {1u, 64u}, {1u, 200u}, {3u, 63u}, {33u, 90u}}) {
      for (float sharpness : {1.0f, 20.0f}) {
        SCOPED_TRACE(::testing::Message() << heads.query_heads << " heads of " << heads.width << ", " << rows
                                          << " rows from " << position);
        // A score's rounding error, about eps |q||k| / sqrt(d), scales its weight; values are of size 4 at
        // most.
        const double tolerance = 4 * 1.2e-7 * sharpness * (8 + std::sqrt(heads.width)) * 4;
        compare(GetParam(), tolerance,
                [&](Device& device) { return attend(device, heads, rows, position, sharpness); });
      }
    }
  }
}

TEST_P(BasicOp, AttentionGivesARowTheSameBitsInAnyBatch) {
  const auto device = cpu_device(GetParam(), 2);
  for (const HeadShape& heads : kHeadShapes) {
    Random random(26);
    const std::uint32_t context = 130;
    const std::size_t q_width = heads.query_heads * heads.width, kv_width = heads.kv_heads * heads.width;
    const auto q = random.normals(context * q_width), k = random.normals(context * kv_width),
               v = random.normals(context * kv_width);
    const auto run_in_batches = [&](std::uint32_t batch) {
      TableHarness memory(*device);
      const Binding keys = memory.zeros(context * kv_width * 2),
                    values = memory.zeros(context * kv_width * 2);
      std::vector<float> result;
      for (std::uint32_t at = 0; at < context; at += batch) {
        const std::uint32_t rows = std::min(batch, context - at);
        const auto slice = [&](const std::vector<float>& all, std::size_t width) {
          return std::vector<float>(all.begin() + static_cast<std::ptrdiff_t>(at * width),
                                    all.begin() + static_cast<std::ptrdiff_t>((at + rows) * width));
        };
        TableHarness table(*device);
        const Binding qs = table.floats(slice(q, q_width)), out = table.zeros(rows * q_width * 4);
        table.add(Op::kRopeKvWrite,
                  {qs, table.floats(slice(k, kv_width)), table.floats(slice(v, kv_width)), keys, values},
                  RopeKvWriteParams{0, heads.query_heads, heads.kv_heads, heads.width, heads.rotary, 1, 1e5f,
                                    context},
                  Patch::kPosition, offsetof(RopeKvWriteParams, position));
        table.add(Op::kAttention, {qs, keys, values, out},
                  AttentionParams{0, 0, heads.query_heads, heads.kv_heads, heads.width, 0.2f, context},
                  Patch::kPositionAndKv, offsetof(AttentionParams, position),
                  offsetof(AttentionParams, kv_length));
        table.run(rows, at);
        const auto part = table.read_floats(out, rows * q_width);
        result.insert(result.end(), part.begin(), part.end());
      }
      return result;
    };
    const auto together = run_in_batches(context);
    EXPECT_EQ(run_in_batches(1), together);
    EXPECT_EQ(run_in_batches(17), together);
  }
}

TEST_P(BasicOp, ArgmaxTakesTheLowestIdOfATie) {
  for (std::uint32_t vocabulary : {1u, 5u, 2048u, 2049u, 10007u}) {
    Random random(27);
    auto logits = random.normals(3 * vocabulary, 3.0f);
    logits[vocabulary - 1] = logits[vocabulary / 2] = logits[vocabulary / 3] = 50.0f;  // row 0: a tie
    std::fill_n(logits.begin() + vocabulary, vocabulary, -2.5f);  // row 1: nothing but ties
    for (std::uint32_t last_row_only : {0u, 1u}) {
      const std::uint32_t rows = last_row_only != 0 ? 1 : 3;
      const auto run = [&](Device& device) {
        TableHarness table(device);
        const Binding tokens = table.zeros(4 * rows), log_probs = table.zeros(4 * rows);
        table.add(Op::kArgmax, {table.floats(logits), tokens, log_probs},
                  ArgmaxParams{vocabulary, last_row_only});
        table.run(3);
        auto result = table.read_floats(log_probs, rows);
        for (std::uint32_t token : table.read_words(tokens, rows))
          result.push_back(static_cast<float>(token));
        return result;
      };
      EXPECT_EQ(run(*cpu_device(GetParam(), 2))[rows], static_cast<float>(vocabulary / 3));
      compare(GetParam(), 1e-6 * (1 + std::log(static_cast<double>(vocabulary))), run);
    }
  }
}

TEST_P(BasicOp, ArgmaxRejectsLogitsThatAreNotFinite) {
  for (float poison : {NAN, INFINITY, -INFINITY}) {
    for (std::size_t at : {0u, 2500u, 4999u}) {
      const auto device = cpu_device(GetParam(), 2);
      TableHarness table(*device);
      std::vector<float> logits(5000, 1.0f);
      logits[at] = poison;
      table.add(Op::kArgmax, {table.floats(logits), table.zeros(4), table.zeros(4)}, ArgmaxParams{5000, 0});
      ASSERT_TRUE(table.prepare(1).ok());
      const auto outcome = table.replay(Replay{});
      EXPECT_EQ(outcome.code(), ErrorCode::kLogitsNotFinite);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllKernels, BasicOp, ::testing::ValuesIn(runnable_isas()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace emberline::testing
