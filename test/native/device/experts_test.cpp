// Mixtures of experts with every weight type against the reference, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "device/table_harness.h"
#include "reference/random_data.h"
#include "reference/reference_device.h"

namespace emberline::testing {
namespace {

struct ExpertsCase {
  std::uint32_t rows = 5;
  ExpertsParams params{32, 32, 8, 3, 0, 0, 0};
  std::vector<std::uint8_t> gate, up, down;
  std::vector<float> x, logits, out;
};

// Outputs of unit size: so small are the rows that go in.
ExpertsCase random_case(std::uint32_t rows, ExpertsParams params, TensorType gate_up, TensorType down,
                        std::uint64_t seed) {
  Random random(seed);
  ExpertsCase c{rows, params, {}, {}, {}, {}, {}, {}};
  ExpertsParams& p = c.params;
  p.width = whole_blocks(gate_up, p.width);
  p.hidden = whole_blocks(down, p.hidden);
  p.gate_type = p.up_type = static_cast<std::uint32_t>(gate_up);
  p.down_type = static_cast<std::uint32_t>(down);
  const float scale = 1.0f / std::sqrt(static_cast<float>(p.width));
  c.gate = random_weights(gate_up, std::size_t{p.experts} * p.hidden, p.width, random);
  c.up = random_weights(gate_up, std::size_t{p.experts} * p.hidden, p.width, random);
  c.down = random_weights(down, std::size_t{p.experts} * p.width, p.hidden, random);
  c.x = random.normals(rows * p.width, scale);
  c.logits = random.normals(rows * p.experts, 2.0f);
  c.out = random.normals(rows * p.width);
  return c;
}

std::vector<float> first_of(const std::vector<float>& all, std::size_t count) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

ExpertsCase first_rows(ExpertsCase c, std::uint32_t rows) {
  c.rows = rows;
  c.x = first_of(c.x, std::size_t{rows} * c.params.width);
  c.logits = first_of(c.logits, std::size_t{rows} * c.params.experts);
  c.out = first_of(c.out, std::size_t{rows} * c.params.width);
  return c;
}

// Where a device has those of a case.
struct LoadedExperts {
  Binding gate, up, down;
};

LoadedExperts load_experts(TableHarness& memory, const ExpertsCase& c) {
  const ExpertsParams& p = c.params;
  const auto type = [](std::uint32_t id) { return static_cast<TensorType>(id); };
  const std::uint32_t gate_rows = p.experts * p.hidden, down_rows = p.experts * p.width;
  return {memory.matrix(type(p.gate_type), gate_rows, p.width, c.gate),
          memory.matrix(type(p.up_type), gate_rows, p.width, c.up),
          memory.matrix(type(p.down_type), down_rows, p.hidden, c.down)};
}

std::vector<float> run_on(Device& device, const ExpertsCase& c, const LoadedExperts& experts) {
  TableHarness table(device);
  const Binding out = table.floats(c.out);
  table.add(Op::kExperts,
            {table.floats(c.x), table.floats(c.logits), experts.gate, experts.up, experts.down,
             table.zeros(std::size_t{c.rows} * c.params.used * c.params.hidden * 4), out},
            c.params);
  table.run(c.rows);
  return table.read_floats(out, c.out.size());
}

std::vector<float> run_on(Device& device, const ExpertsCase& c) {
  TableHarness memory(device);
  return run_on(device, c, load_experts(memory, c));
}

// The experts of a row.
std::set<std::size_t> chosen(const ExpertsCase& c, std::size_t row) {
  const float* logits = c.logits.data() + row * c.params.experts;
  std::vector<std::size_t> order(c.params.experts);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
  return {order.begin(), order.begin() + c.params.used};
}

double square(double x) {
  return x * x;
}

// Of one expert's matrices, after Frobenius.
struct ExpertNorms {
  double gate, up, down;
};

std::vector<ExpertNorms> norms_of(const ExpertsCase& c) {
  const ExpertsParams& p = c.params;
  const auto of = [](std::uint32_t type, const std::vector<std::uint8_t>& data, std::size_t expert,
                     std::size_t rows, std::size_t width) {
    return frobenius_norm(static_cast<TensorType>(type), data, expert * rows, rows, width);
  };
  std::vector<ExpertNorms> norms;
  for (std::size_t e = 0; e < p.experts; ++e) {
    norms.push_back({of(p.gate_type, c.gate, e, p.hidden, p.width), of(p.up_type, c.up, e, p.hidden, p.width),
                     of(p.down_type, c.down, e, p.width, p.hidden)});
  }
  return norms;
}

// What an output row may differ by from the exact one, as a norm. Of quantised matrices an element of x, or
// of hidden, is off by step / sqrt(12) in deviation, a step being a 127th of its block's largest: its norm by
// norm(x) / 127 at the very most. A random vector meets a matrix with a product whose norm is theirs by
// sqrt(width). A gate's slope is 1.1 at most, so that what gate and up are off by reaches hidden about once
// each. Float32 sums as in product_test.cpp.
double tolerance(const ExpertsCase& c, const std::vector<ExpertNorms>& norms, std::size_t row) {
  const ExpertsParams& p = c.params;
  const auto part = [&](const std::vector<float>& all) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row * p.width);
    return norm(std::vector<float>(begin, begin + p.width));
  };
  const auto error = [](std::uint32_t type, std::size_t width) {
    const double rounding = 4 * 1.2e-7 * std::max(1.0, std::sqrt(static_cast<double>(width) / 8.0));
    return traits(static_cast<TensorType>(type)).block_elements > 1 ? 1.0 / 127 : rounding;
  };
  double squares = 0;
  for (const std::size_t e : chosen(c, row)) {
    const double gate = norms[e].gate * part(c.x) / std::sqrt(p.width),
                 up = norms[e].up * part(c.x) / std::sqrt(p.width);
    const double hidden = gate * up / std::sqrt(p.hidden);
    const double off = error(p.gate_type, p.width) + error(p.up_type, p.width) + error(p.down_type, p.hidden);
    squares += square(norms[e].down / std::sqrt(p.hidden) * hidden * off);
  }
  return 2 * p.scale * std::sqrt(squares) + 4 * 1.2e-7 * part(c.out) * p.used + 1e-6;
}

void expect_close(const ExpertsCase& c, const std::vector<float>& actual,
                  const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  const std::vector<ExpertNorms> norms = norms_of(c);
  for (std::size_t r = 0; r < c.rows; ++r) {
    double squares = 0;
    for (std::size_t i = r * c.params.width; i < (r + 1) * c.params.width; ++i)
      squares += square(double{actual[i]} - expected[i]);
    ASSERT_LE(std::sqrt(squares), tolerance(c, norms, r)) << "row " << r;
  }
}

class ExpertsOp : public ::testing::TestWithParam<std::tuple<std::string, TensorType>> {
 protected:
  std::string isa() const { return std::get<0>(GetParam()); }
  TensorType type() const { return std::get<1>(GetParam()); }
};

TEST_P(ExpertsOp, MatchesTheReference) {
  const auto device = cpu_device(isa(), 2), plain = cpu_device(isa(), 1, false);
  const auto reference = make_reference_device();
  std::uint64_t seed = 1;
  for (const ExpertsParams& params :
       {ExpertsParams{32, 64, 8, 3, 0, 0, 0}, ExpertsParams{96, 32, 5, 5, 0, 0, 0},
        ExpertsParams{64, 48, 19, 1, 0, 0, 0, kGateGeluTanh},
        ExpertsParams{64, 80, 6, 2, 0, 0, 0, kGateSilu, kSoftmaxOfAll, 2.5f}}) {
    SCOPED_TRACE(::testing::Message() << params.used << " of " << params.experts);
    const ExpertsCase c = random_case(9, params, type(), type(), seed++);
    TableHarness memory(*device);
    const LoadedExperts loaded = load_experts(memory, c);
    const std::vector<float> actual = run_on(*device, c, loaded);
    expect_close(c, actual, run_on(*reference, c));
    EXPECT_EQ(run_on(*plain, c), actual);
    for (const std::uint32_t rows : {1u, 2u}) {
      const std::vector<float> expected = first_of(actual, std::size_t{rows} * c.params.width);
      EXPECT_EQ(run_on(*device, first_rows(c, rows), loaded), expected);
    }
  }
}

TEST_P(ExpertsOp, TakesMatricesOfDifferentTypes) {
  const auto device = cpu_device(isa(), 2);
  const auto reference = make_reference_device();
  for (const std::uint32_t rows : {1u, 6u}) {
    const ExpertsCase c = random_case(rows, {64, 64, 6, 2, 0, 0, 0}, type(), TensorType::kF16, 40);
    expect_close(c, run_on(*device, c), run_on(*reference, c));
    const ExpertsCase d = random_case(rows, {64, 64, 6, 2, 0, 0, 0}, TensorType::kBF16, type(), 41);
    expect_close(d, run_on(*device, d), run_on(*reference, d));
    ExpertsCase e = random_case(rows, {64, 64, 6, 2, 0, 0, 0}, type(), type(), 42);
    Random random(43);
    e.params.up_type = static_cast<std::uint32_t>(TensorType::kF32);
    e.up = random_weights(TensorType::kF32, std::size_t{6} * e.params.hidden, e.params.width, random);
    expect_close(e, run_on(*device, e), run_on(*reference, e));
  }
}

// The batch a row came in decides nothing, nor do threads: not even the order of a row's experts.
TEST_P(ExpertsOp, GivesEveryRowTheSameBitsInAnyBatchOnAnyThreads) {
  const ExpertsCase batch = random_case(70, {96, 64, 7, 3, 0, 0, 0}, type(), type(), 9);
  const std::vector<float> together = run_on(*cpu_device(isa(), 1), batch);
  for (int threads = 2; threads <= 4; ++threads)
    EXPECT_EQ(run_on(*cpu_device(isa(), threads), batch), together);
  const auto device = cpu_device(isa(), 2);
  TableHarness memory(*device);
  const LoadedExperts loaded = load_experts(memory, batch);
  const auto part = [](const std::vector<float>& all, std::size_t first, std::size_t count,
                       std::size_t width) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first * width);
    return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(count * width));
  };
  for (const auto& [first, count] : {std::pair{0u, 1u}, {33u, 1u}, {69u, 1u}, {3u, 2u}, {20u, 31u}}) {
    ExpertsCase some = batch;
    some.rows = count;
    some.x = part(batch.x, first, count, batch.params.width);
    some.logits = part(batch.logits, first, count, batch.params.experts);
    some.out = part(batch.out, first, count, batch.params.width);
    EXPECT_EQ(run_on(*device, some, loaded), part(together, first, count, batch.params.width))
        << "row " << first;
  }
}

// Were any of them read, the outputs would not be numbers.
TEST_P(ExpertsOp, ReadsNoExpertThatNoRowChose) {
  const auto device = cpu_device(isa(), 2);
  for (const std::uint32_t rows : {1u, 2u}) {
    ExpertsCase c = random_case(rows, {64, 64, 16, 3, 0, 0, 0}, type(), type(), 77);
    const std::vector<float> expected = run_on(*device, c);
    std::set<std::size_t> read;
    for (std::size_t r = 0; r < rows; ++r) read.merge(chosen(c, r));
    const auto poison = [&](std::vector<std::uint8_t>& matrices, const std::set<std::size_t>& kept) {
      const std::size_t bytes = matrices.size() / c.params.experts;
      for (std::size_t e = 0; e < c.params.experts; ++e) {
        // All bits set: NaN in every format of floats, and in the scale of every block; an exponent of 255.
        if (!kept.contains(e))
          std::fill_n(matrices.begin() + static_cast<std::ptrdiff_t>(e * bytes), bytes, std::uint8_t{0xFF});
      }
    };
    for (std::vector<std::uint8_t>* matrices : {&c.gate, &c.up, &c.down}) poison(*matrices, read);
    EXPECT_EQ(run_on(*device, c), expected);
    // One that is read is noticed.
    std::set<std::size_t> fewer = read;
    fewer.erase(fewer.begin());
    for (std::vector<std::uint8_t>* matrices : {&c.gate, &c.down}) {
      ExpertsCase wrong = c;
      (matrices == &c.gate ? wrong.gate : wrong.down) = *matrices;
      poison(matrices == &c.gate ? wrong.gate : wrong.down, fewer);
      EXPECT_NE(run_on(*device, wrong), expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllKernels, ExpertsOp,
                         ::testing::Combine(::testing::ValuesIn(runnable_isas()),
                                            ::testing::ValuesIn(kWeightTypes)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" + type_name(std::get<1>(info.param));
                         });

// Logits that tie, or are no numbers.
TEST(ExpertsOp, OfEqualLogitsTheFirstIsLikelier) {
  const auto reference = make_reference_device();
  for (const std::string& isa : runnable_isas()) {
    ExpertsCase c = random_case(3, {32, 32, 8, 2, 0, 0, 0}, TensorType::kF32, TensorType::kF32, 5);
    std::fill(c.logits.begin(), c.logits.end(), 0.25f);
    c.logits[6] = 1.0f;  // with the first of the others
    c.logits[8 + 5] = c.logits[8 + 7] = 1.0f;
    c.logits[16 + 3] = -1.0f;
    expect_close(c, run_on(*cpu_device(isa), c), run_on(*reference, c));
  }
}

TEST(ExpertsOp, LogitsThatAreNoNumbersSpoilTheirRowAlone) {
  for (const float poison :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    ExpertsCase c = random_case(3, {32, 32, 8, 2, 0, 0, 0}, TensorType::kQ8_0, TensorType::kQ8_0, 6);
    const std::vector<float> right = run_on(*cpu_device("auto"), c);
    std::fill_n(c.logits.begin() + 8, 8, poison);
    const std::vector<float> out = run_on(*cpu_device("auto"), c);
    for (std::size_t i = 0; i < 32; ++i) {
      EXPECT_EQ(out[i], right[i]);
      EXPECT_FALSE(std::isfinite(out[32 + i]));
      EXPECT_EQ(out[64 + i], right[64 + i]);
    }
  }
}

TEST(ExpertsOp, RefusesWidthsThatPanelsDoNotEndWith) {
  const auto device = cpu_device("portable");
  for (const ExpertsParams& params :
       {ExpertsParams{40, 32, 4, 2, 0, 0, 0}, ExpertsParams{32, 40, 4, 2, 0, 0, 0}}) {
    TableHarness table(*device);
    const Binding matrix = table.matrix(TensorType::kF32, 160, 40, std::vector<std::uint8_t>(160 * 40 * 4));
    table.add(
        Op::kExperts,
        {table.zeros(4096), table.zeros(4096), matrix, matrix, matrix, table.zeros(4096), table.zeros(4096)},
        params);
    const Status status = table.prepare(1);
    EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(status.message().find("16"), std::string::npos) << status.message();
  }
}

}  // namespace
}  // namespace emberline::testing
