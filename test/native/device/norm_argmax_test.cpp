// Argmax fused with the output matrix against the two commands it stands for: the same bits.
#include <gtest/gtest.h>

#include <cstddef>

#include "device/table_harness.h"
#include "reference/random_data.h"

namespace emberline::testing {
namespace {

struct Outputs {
  std::vector<std::uint32_t> tokens;
  std::vector<float> log_probs;
  bool operator==(const Outputs&) const = default;
};

struct OutputCase {
  std::uint32_t rows, width, vocabulary;
  TensorType type;
  bool fine;
  std::vector<float> x, gain;
  std::vector<std::uint8_t> weights;
};

OutputCase random_case(std::uint32_t rows, std::uint32_t vocabulary, TensorType type, bool fine) {
  Random random(vocabulary + rows);
  const std::uint32_t width = 96;
  OutputCase c{rows, width, vocabulary, type, fine, {}, {}, {}};
  c.x = random.normals(std::size_t{rows} * width);
  c.gain = random.normals(width);
  c.weights = random_weights(type, vocabulary, width, random);
  return c;
}

// Reads `rows` results, which belong to the positions from 1 on.
Outputs read(TableHarness& table, Binding tokens, Binding log_probs, std::uint32_t rows) {
  return {table.read_words({tokens.buffer, tokens.offset + 4}, rows),
          table.read_floats({log_probs.buffer, log_probs.offset + 4}, rows)};
}

Outputs run_fused(Device& device, const OutputCase& c) {
  TableHarness table(device);
  const Binding tokens = table.zeros(4 * (c.rows + 1)), log_probs = table.zeros(4 * (c.rows + 1));
  table.add(Op::kNormArgmax,
            {table.floats(c.x), tokens, log_probs, table.floats(c.gain),
             table.matrix(c.type, c.vocabulary, c.width, c.weights)},
            NormArgmaxParams{c.width, 1e-5f, c.vocabulary, static_cast<std::uint32_t>(c.type), c.fine},
            Patch::kArgmaxOutput);
  table.run(c.rows);
  return read(table, tokens, log_probs, c.rows);
}

Outputs run_apart(Device& device, const OutputCase& c) {
  TableHarness table(device);
  const Binding tokens = table.zeros(4 * (c.rows + 1)), log_probs = table.zeros(4 * (c.rows + 1));
  const Binding logits = table.zeros(std::size_t{4} * c.rows * c.vocabulary);
  table.add(Op::kNormMatMul,
            {table.floats(c.x), table.floats(c.gain), table.matrix(c.type, c.vocabulary, c.width, c.weights),
             logits},
            NormMatMulParams{c.width, 1e-5f, c.vocabulary, static_cast<std::uint32_t>(c.type), 0, c.fine});
  table.add(Op::kArgmax, {logits, tokens, log_probs}, ArgmaxParams{c.vocabulary, 0}, Patch::kArgmaxOutput);
  table.run(c.rows);
  return read(table, tokens, log_probs, c.rows);
}

class NormArgmax : public ::testing::TestWithParam<std::string> {};

TEST_P(NormArgmax, EqualsTheOutputMatrixAndArgmax) {
  for (const std::uint32_t vocabulary : {1u, 17u, 512u, 513u, 2000u}) {
    for (const std::uint32_t rows : {1u, 3u}) {
      for (const TensorType type : {TensorType::kQ4_1, TensorType::kQ8_0, TensorType::kF16}) {
        for (const bool fine : {false, true}) {
          const OutputCase c = random_case(rows, vocabulary, type, fine);
          const Outputs expected = run_apart(*cpu_device(GetParam(), 1), c);
          for (const int threads : {1, 3}) {
            EXPECT_EQ(run_fused(*cpu_device(GetParam(), threads), c), expected)
                << vocabulary << " " << rows << " " << type_name(type) << " " << fine;
          }
        }
      }
    }
  }
}

TEST_P(NormArgmax, RejectsLogitsThatAreNotFinite) {
  OutputCase c = random_case(1, 700, TensorType::kF16, false);
  for (std::size_t i = 0; i < c.width; ++i)
    c.weights[2 * (600 * c.width + i) + 1] = 0x7C;  // not below infinity
  const auto device = cpu_device(GetParam(), 2);
  TableHarness table(*device);
  table.add(Op::kNormArgmax,
            {table.floats(c.x), table.zeros(8), table.zeros(8), table.floats(c.gain),
             table.matrix(c.type, c.vocabulary, c.width, c.weights)},
            NormArgmaxParams{c.width, 1e-5f, c.vocabulary, static_cast<std::uint32_t>(c.type)});
  ASSERT_TRUE(table.prepare(1).ok());
  EXPECT_EQ(table.replay(Replay{}).code(), ErrorCode::kLogitsNotFinite);
}

TEST_P(NormArgmax, IsCheckedWhenItIsPrepared) {
  const OutputCase c = random_case(1, 40, TensorType::kF16, false);
  const auto device = cpu_device(GetParam(), 1);
  TableHarness table(*device);
  const Binding x = table.floats(c.x), gain = table.floats(c.gain), tokens = table.zeros(8),
                log_probs = table.zeros(8);
  const Binding weight = table.matrix(c.type, c.vocabulary, c.width, c.weights);
  const NormArgmaxParams good{c.width, 1e-5f, c.vocabulary, static_cast<std::uint32_t>(c.type)};
  const auto expect = [&](bool accepted, Binding output, Binding matrix, NormArgmaxParams params) {
    table.add(Op::kNormArgmax, {x, output, log_probs, gain, matrix}, params);
    EXPECT_EQ(table.prepare(1).ok(), accepted);
    table.table().commands.clear();
  };
  expect(true, tokens, weight, good);
  expect(false, {tokens.buffer, 8}, weight, good);  // past the end
  expect(false, tokens, x, good);                   // no loaded matrix
  NormArgmaxParams wrong = good;
  wrong.vocabulary = 10000;
  expect(false, tokens, weight, wrong);
  wrong = good;
  wrong.fine_activations = 2;
  expect(false, tokens, weight, wrong);
  wrong = good;
  wrong.epsilon = -1;
  expect(false, tokens, weight, wrong);
}

INSTANTIATE_TEST_SUITE_P(AllKernels, NormArgmax, ::testing::ValuesIn(runnable_isas()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace emberline::testing
