// Every basic op but the product, rope and attention against the reference, on every instruction set.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

#include "device/op_comparison.h"
#include "device/table_harness.h"
#include "reference/random_data.h"

namespace emberline::testing {
namespace {

class BasicOp : public ::testing::TestWithParam<std::string> {};

TEST_P(BasicOp, EmbeddingWidensEveryWeightType) {
  for (TensorType type : kWeightTypes) {
    SCOPED_TRACE(type_name(type));
    Random random(21);
    const std::uint32_t width = whole_blocks(type, 96u), vocabulary = 37;
    const auto table_bytes = random_weights(type, vocabulary, width, random);
    compare(GetParam(), 1e-6, [&](Device& device) {
      TableHarness table(device);
      const Binding out = table.zeros(5 * width * 4);
      table.add(Op::kEmbedding,
                {table.words({0, 36, 7, 7, 20}), table.matrix(type, vocabulary, width, table_bytes), out},
                EmbeddingParams{width, vocabulary, static_cast<std::uint32_t>(type)}, Patch::kTokenOffset);
      table.run(5);
      return table.read_floats(out, 5 * width);
    });
  }
}

TEST_P(BasicOp, EmbeddingsMayBeScaled) {
  Random random(30);
  const std::uint32_t width = 96, vocabulary = 5;
  const auto table_bytes = random_weights(TensorType::kQ8_0, vocabulary, width, random);
  compare(GetParam(), 12 * 1e-6, [&](Device& device) {
    TableHarness table(device);
    const Binding out = table.zeros(2 * width * 4);
    table.add(Op::kEmbedding,
              {table.words({4, 2}), table.matrix(TensorType::kQ8_0, vocabulary, width, table_bytes), out},
              EmbeddingParams{width, vocabulary, static_cast<std::uint32_t>(TensorType::kQ8_0), 0, 12.0f});
    table.run(2);
    return table.read_floats(out, 2 * width);
  });
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

TEST_P(BasicOp, RmsNormOfEachHeadInPlace) {
  const std::uint32_t width = 20, heads = 3, rows = 5;
  Random random(28);
  const auto x = random.normals(rows * heads * width, 5.0f), gain = random.normals(width);
  const double tolerance = 1.2e-7 * (4 + std::sqrt(width)) * 4 * 3;  // as above
  compare(GetParam(), tolerance, [&](Device& device) {
    TableHarness table(device);
    const Binding in_place = table.floats(x);
    table.add(Op::kRmsNorm, {in_place, table.floats(gain), in_place}, RmsNormParams{width, 1e-5f, heads});
    table.run(rows);
    return table.read_floats(in_place, x.size());
  });
}

TEST_P(BasicOp, RmsNormMayAdd) {
  const std::uint32_t width = 70, rows = 3;
  Random random(31);
  const auto x = random.normals(rows * width, 5.0f), gain = random.normals(width),
             before = random.normals(rows * width);
  const double tolerance = 1.2e-7 * (5 + std::sqrt(width)) * 4 * 3;  // as above, and a sum
  for (const bool to_another : {false, true}) {
    compare(GetParam(), tolerance, [&](Device& device) {
      TableHarness table(device);
      const Binding addend = table.floats(before), out = to_another ? table.floats(x) : addend;
      table.add(Op::kRmsNorm,
                {table.floats(x), table.floats(gain), out, kAbsent, to_another ? addend : kAbsent},
                RmsNormParams{width, 1e-5f, 1, 1});
      table.run(rows);
      return table.read_floats(out, before.size());
    });
  }
}

TEST_P(BasicOp, LayerNormTakesOffTheMeanAndAddsABias) {
  for (std::uint32_t width : {1u, 9u, 576u}) {
    const std::uint32_t rows = 3;
    Random random(32);
    auto x = random.normals(rows * width, 5.0f);
    for (float& value : x) value += 50.0f;
    const auto gain = random.normals(width), bias = random.normals(width),
               before = random.normals(rows * width);
    for (const std::uint32_t accumulate : {0u, 1u}) {
      for (const bool in_place : {false, true}) {
        // Of a result of 12 at most: its rounding to float32, the gain's and the sum's.
        compare(GetParam(), 12 * 4 * 1.2e-7, [&](Device& device) {
          TableHarness table(device);
          const Binding from = table.floats(x), out = in_place ? from : table.floats(before);
          table.add(Op::kRmsNorm, {from, table.floats(gain), out, table.floats(bias)},
                    RmsNormParams{width, 1e-5f, 1, in_place ? 0 : accumulate, 1});
          table.run(rows);
          return table.read_floats(out, before.size());
        });
      }
    }
  }
}

TEST_P(BasicOp, RmsNormMayHaveABias) {
  const std::uint32_t width = 70, rows = 3;
  Random random(33);
  const auto x = random.normals(rows * width, 5.0f), gain = random.normals(width),
             bias = random.normals(width);
  compare(GetParam(), 12 * 4 * 1.2e-7, [&](Device& device) {
    TableHarness table(device);
    const Binding out = table.zeros(x.size() * 4);
    table.add(Op::kRmsNorm, {table.floats(x), table.floats(gain), out, table.floats(bias)},
              RmsNormParams{width, 1e-5f});
    table.run(rows);
    return table.read_floats(out, x.size());
  });
}

TEST_P(BasicOp, SoftCap) {
  for (std::uint32_t width : {1u, 300u, 1536u}) {
    for (std::uint32_t last_row_only : {0u, 1u}) {
      Random random(34);
      const std::uint32_t rows = 3;
      auto x = random.normals(rows * width, 40.0f);
      x[0] = 1e30f;
      x.back() = -1e30f;
      // An ulp of 1 in tanh, and of 2 in the exponential, times the cap.
      compare(GetParam(), 30 * 4 * 1.2e-7, [&](Device& device) {
        TableHarness table(device);
        const Binding in_place = table.floats(x);
        table.add(Op::kSoftCap, {in_place}, SoftCapParams{width, 30.0f, last_row_only});
        table.run(rows);
        return table.read_floats(in_place, (last_row_only != 0 ? 1 : rows) * width);
      });
    }
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

TEST_P(BasicOp, GatedUnit) {
  for (std::uint32_t activation = 0; activation < kGateActivations; ++activation) {
    for (std::uint32_t width : {1u, 300u, 1536u}) {
      Random random(23);
      auto gate = random.normals(4 * width, 4.0f);
      const auto up = random.normals(4 * width);
      gate[0] = 100.0f;
      gate[width] = -100.0f;
      compare(GetParam(), 100 * 4 * 4 * 1.2e-7, [&](Device& device) {
        TableHarness table(device);
        const Binding out = table.zeros(4 * width * 4);
        table.add(Op::kGatedUnit, {table.floats(gate), table.floats(up), out},
                  GatedUnitParams{width, activation});
        table.run(4);
        return table.read_floats(out, 4 * width);
      });
    }
  }
}

TEST_P(BasicOp, AUnitWithoutAGateIsItsActivation) {
  for (std::uint32_t activation = 0; activation < kGateActivations; ++activation) {
    const std::uint32_t width = 300, rows = 4;
    Random random(35);
    const auto x = random.normals(rows * width, 4.0f);
    compare(GetParam(), 16 * 4 * 1.2e-7, [&](Device& device) {
      TableHarness table(device);
      const Binding out = table.zeros(rows * width * 4);
      table.add(Op::kGatedUnit, {table.floats(x), {}, out}, GatedUnitParams{width, activation});
      table.run(rows);
      return table.read_floats(out, rows * width);
    });
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
        // Of the positions behind the rows'.
        const Binding tokens = table.zeros(4 * (rows + 1)), log_probs = table.zeros(4 * (rows + 1));
        table.add(Op::kArgmax, {table.floats(logits), tokens, log_probs},
                  ArgmaxParams{vocabulary, last_row_only});
        table.run(3);
        auto result = table.read_floats({log_probs.buffer, log_probs.offset + 4}, rows);
        for (std::uint32_t token : table.read_words({tokens.buffer, tokens.offset + 4}, rows))
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
      table.add(Op::kArgmax, {table.floats(logits), table.zeros(8), table.zeros(8)}, ArgmaxParams{5000, 0});
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
