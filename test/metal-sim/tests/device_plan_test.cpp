// Plans: which commands wait for which, what is bound again, what fused commands become, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "device/metal/chip.h"
#include "device/metal/dependencies.h"
#include "device/metal/lowering.h"
#include "device/metal/plan.h"
#include "launch_shapes.h"

namespace emberline::testing {
namespace {

using namespace metal;

constexpr std::uint32_t kF32 = 0, kQ4_0 = 2;
constexpr std::uint64_t kBytes = 1 << 16;
constexpr BufferId kWeights = 100;

// Buffers 0 to 19 of 64 KB, and loaded matrices.
class SomeBuffers final : public BufferExtents {
 public:
  BufferExtent extent(BufferId id) const override {
    if (id < 20) return {kBytes, kBytes, false};
    if (id == kWeights) return {kBytes, kBytes, true};
    return {};
  }
};

class NumberedPipelines final : public PipelineSource {
 public:
  Result<Pipeline> pipeline(const KernelVariant& kernel) override {
    kernels.push_back(kernel.key());
    const auto number =
        numbers_.emplace(kernel.key(), static_cast<std::uint32_t>(numbers_.size())).first->second;
    return Pipeline{number, most_threads};
  }

  std::uint32_t most_threads = 1024;
  std::vector<std::string> kernels;  // asked for, in order

 private:
  std::map<std::string, std::uint32_t> numbers_;
};

class PlanTest : public ::testing::Test {
 protected:
  static Binding at(BufferId id, std::uint64_t offset = 0) { return {id, offset}; }
  static Binding weight(std::uint64_t offset = 0) { return {kWeights, offset}; }

  template <typename Params>
  Command& add(Op op, std::initializer_list<Binding> bindings, const Params& params,
               Patch patch = Patch::kNone, std::size_t offset_1 = 0, std::size_t offset_2 = 0) {
    Command& command = table_.commands.emplace_back();
    command.op = op;
    command.patch = patch;
    command.patch_offset_1 = static_cast<std::uint8_t>(offset_1);
    command.patch_offset_2 = static_cast<std::uint8_t>(offset_2);
    std::copy(bindings.begin(), bindings.end(), command.bindings.begin());
    command.set_params(params);
    return command;
  }
  void add_product(Binding x, Binding y, std::uint32_t accumulate = 0) {
    add(Op::kMatMul, {x, weight(), {}, y}, MatMulParams{64, 64, kF32, accumulate, 0});
  }
  Result<Plan> compile(std::uint32_t max_rows = 1, const PlanOptions& options = {}) {
    table_.max_rows = max_rows;
    return compile_plan(table_, buffers_, pipelines_, options);
  }
  void expect_refused(std::uint32_t max_rows = 1) {
    const Result<Plan> plan = compile(max_rows);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(plan.error().message().find("Command 0"), std::string::npos) << plan.error().message();
    table_.commands.clear();
  }
  void expect_accepted(std::uint32_t max_rows = 1) {
    const Result<Plan> plan = compile(max_rows);
    EXPECT_TRUE(plan.ok()) << plan.error().message();
    table_.commands.clear();
  }
  static std::vector<bool> barriers(const Plan& plan) {
    std::vector<bool> result;
    for (const EncodedCommand& command : plan.variant(1).commands) result.push_back(command.barrier);
    return result;
  }

  SomeBuffers buffers_;
  NumberedPipelines pipelines_;
  DispatchTable table_;
};

TEST_F(PlanTest, WaitsOnlyForWhatACommandDependsOn) {
  add(Op::kRmsNorm, {at(0), at(1), at(2)}, RmsNormParams{64, 1e-5f});
  add_product(at(2), at(3));  // reads the norm's output
  add_product(at(2), at(4));  // so does this, beside it
  add_product(at(2), at(5));
  add(Op::kGatedUnit, {at(3), at(4), at(6)}, GatedUnitParams{64});
  add_product(at(7),
              at(2));  // writes what is read since the last barrier? No: the norm's readers are behind it
  add_product(at(7), at(2), 1);  // adds to what the command before writes
  const Result<Plan> plan = compile();
  ASSERT_TRUE(plan.ok()) << plan.error().message();
  EXPECT_EQ(barriers(plan.value()), (std::vector<bool>{true, true, false, false, true, false, true}));
}

TEST_F(PlanTest, WaitsBeforeOverwritingWhatIsBeingRead) {
  add_product(at(0), at(1));
  add_product(at(2), at(0));
  add_product(at(3), at(0));
  const Result<Plan> plan = compile();
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(barriers(plan.value()), (std::vector<bool>{true, true, true}));
}

TEST_F(PlanTest, PartsOfABufferAreApart) {
  add_product(at(0), at(1));
  add_product(at(0), at(1, 64 * 4));
  add_product(at(0), at(1, 32 * 4));
  const Result<Plan> plan = compile();
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(barriers(plan.value()), (std::vector<bool>{true, false, true}));
}

TEST_F(PlanTest, BindsOnlyWhatChanges) {
  add_product(at(0), at(1));
  add_product(at(0), at(2));
  const Result<Plan> plan = compile();
  ASSERT_TRUE(plan.ok());
  const auto& commands = plan.value().variant(1).commands;
  constexpr unsigned kX = 1u << slot::MatMul::kX, kWeight = 1u << slot::MatMul::kWeight,
                     kY = 1u << slot::MatMul::kY;
  EXPECT_EQ(commands[0].bind_first, kX | kWeight | kY);
  EXPECT_EQ(commands[1].bind_first, kY);
  EXPECT_EQ(commands[0].bind_again, kY);
  EXPECT_EQ(commands[1].bind_again, kY);
  EXPECT_TRUE(commands[0].set_pipeline_first);
  EXPECT_FALSE(commands[1].set_pipeline_first);
  EXPECT_FALSE(commands[0].set_pipeline_again);
}

TEST_F(PlanTest, ChoosesKernelsByRows) {
  add_product(at(0), at(1));
  const Result<Plan> plan = compile(20);
  ASSERT_TRUE(plan.ok());
  const std::vector<std::string> expected = {"mat_vec_f32 0:0 3:0 2:1",  "mat_vec_f32 0:0 3:0 2:2",
                                             "mat_vec_f32 0:0 3:0 2:4",  "mat_vec_f32 0:0 3:0 2:8",
                                             "mat_vec_f32 0:0 3:0 2:16", "mat_mat_f32 0:0 3:0"};
  EXPECT_EQ(pipelines_.kernels, expected);
  EXPECT_EQ(&plan.value().variant(3), &plan.value().variants[2]);
  EXPECT_EQ(&plan.value().variant(17), &plan.value().variants[5]);
  const auto grid = plan.value().variant(20).commands[0].grid.threadgroups(20);
  EXPECT_EQ(grid, (std::array<std::uint32_t, 3>{1, 1, 1}));
  EXPECT_EQ(plan.value().variant(20).commands[0].grid.threadgroups(kMatMatRows + 1)[0], 2u);
}

TEST_F(PlanTest, TakesFusedCommandsApartForLargeBatches) {
  add(Op::kNormGateUp, {at(0), at(1), weight(), weight(), at(2)},
      NormGateUpParams{64, 1e-5f, 64, kF32, kF32});
  const Result<Plan> plan = compile(20);
  ASSERT_TRUE(plan.ok()) << plan.error().message();
  EXPECT_EQ(plan.value().variant(16).commands.size(), 1u);
  // norm | gate, up | silu(gate) * up
  const auto& parts = plan.value().variant(17).commands;
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_TRUE(parts[1].barrier);
  EXPECT_FALSE(parts[2].barrier);
  EXPECT_TRUE(parts[3].barrier);
  EXPECT_EQ(plan.value().variant(17).origins, (std::vector<std::uint32_t>{0, 0, 0, 0}));
  EXPECT_EQ(plan.value().scratch_bytes, 3u * 20 * 64 * 4);
}

TEST_F(PlanTest, TakesMatricesOfDifferentTypesApart) {
  add(Op::kNormGateUp, {at(0), at(1), weight(), weight(), at(2)},
      NormGateUpParams{64, 1e-5f, 64, kF32, kQ4_0});
  const Result<Plan> plan = compile();
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value().variant(1).commands.size(), 4u);
}

TEST_F(PlanTest, TellsAChainByItsEmbedding) {
  const auto embedding = [&](Patch patch) {
    add(Op::kEmbedding, {at(0), weight(), at(1)}, EmbeddingParams{64, 64, kF32}, patch,
        patch == Patch::kNone ? 0 : offsetof(EmbeddingParams, position));
  };
  embedding(Patch::kTokenOffset);
  add(Op::kArgmax, {at(1), at(0), at(2)}, ArgmaxParams{64, 0}, Patch::kArgmaxOutput,
      offsetof(ArgmaxParams, position));
  Result<Plan> plan = compile(2);
  ASSERT_TRUE(plan.ok()) << plan.error().message();
  EXPECT_TRUE(plan.value().looks_at_chain(RowClass::kOne));
  EXPECT_FALSE(plan.value().looks_at_chain(RowClass::kTwo));  // an argmax of two rows is no step
  EXPECT_EQ(plan.value().variant(1).commands[1].chunk_at, offsetof(ArgmaxParams, chunk));
  EXPECT_EQ(plan.value().limits.position_limit, kBytes / 4 - 1);
  table_.commands.clear();
  embedding(Patch::kNone);
  plan = compile();
  ASSERT_TRUE(plan.ok());
  EXPECT_FALSE(plan.value().looks_at_chain(RowClass::kOne));
}

TEST_F(PlanTest, RefusesKernelsThatNeedMoreThreadsThanTheyMayHave) {
  pipelines_.most_threads = 64;
  add_product(at(0), at(1));
  EXPECT_EQ(compile().code(), ErrorCode::kDeviceFailed);
  table_.commands.clear();
  add(Op::kArgmax, {at(1), at(0), at(2)}, ArgmaxParams{64, 0});  // does with fewer
  const Result<Plan> plan = compile();
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value().variant(1).commands[0].threads, 64u);
}

TEST_F(PlanTest, RefusesProductsThatDoNotFit) {
  const MatMulParams good{64, 8, kF32, 0, 0};
  const auto product = [&](Binding x, Binding w, Binding bias, Binding y, const MatMulParams& params,
                           Patch patch = Patch::kNone) { add(Op::kMatMul, {x, w, bias, y}, params, patch); };
  const auto past_end = [](BufferId id, std::uint64_t bytes) { return Binding{id, kBytes - bytes + 4}; };
  product(at(0, kBytes - 4 * 64 * 4), weight(kBytes - 64 * 8 * 4), at(3, kBytes - 32),
          at(2, kBytes - 4 * 8 * 4), good);
  expect_accepted(4);
  product(past_end(0, 4 * 64 * 4), weight(), {}, at(2), good);
  expect_refused(4);
  product(at(0), past_end(kWeights, 64 * 8 * 4), {}, at(2), good);
  expect_refused(4);
  product(at(0), weight(), past_end(3, 32), at(2), good);
  expect_refused(4);
  product(at(0), weight(), {}, past_end(2, 4 * 8 * 4), good);
  expect_refused(4);
  product(at(0), at(1), {}, at(2), good);  // memory that the device did not load a matrix into
  expect_refused();
  product(weight(), weight(), {}, at(2), good);
  expect_refused();
  product(at(0), weight(), {}, weight(), good);
  expect_refused();
  product(at(0, ~std::uint64_t{0} - 7), weight(), {}, at(2), good);
  expect_refused();
  product({}, weight(), {}, at(2), good);
  expect_refused();
  product(at(55), weight(), {}, at(2), good);
  expect_refused();
  product(at(0, 2), weight(), {}, at(2), good);  // not aligned
  expect_refused();
  product(at(0), weight(), {}, at(0, 512), good);  // in place
  expect_refused(4);
  product(at(0), weight(), {}, at(2), good, Patch::kPosition);
  expect_refused();
  for (const MatMulParams& params :
       {MatMulParams{0, 8, kF32, 0, 0}, MatMulParams{64, 0, kF32, 0, 0}, MatMulParams{64, 8, 4, 0, 0},
        MatMulParams{63, 8, kQ4_0, 0, 0}, MatMulParams{64, 8, kF32, 2, 0}, MatMulParams{64, 8, kF32, 0, 7},
        MatMulParams{0xFFFFFFFFu, 0xFFFFFFFFu, kF32, 0, 0}, MatMulParams{1u << 24, 1u << 24, kF32, 0, 0}}) {
    product(at(0), weight(), {}, at(2), params);
    expect_refused();
  }
}

TEST_F(PlanTest, RefusesAttentionThatDoesNotFit) {
  constexpr std::uint32_t kPage = kKvPagePositions * 2 * 16 * 2;
  const AttentionParams good{0, 0, 4, 2, 16, 0.25f, 64, kPage};
  const auto attention = [&](const AttentionParams& params, Binding out,
                             Patch patch = Patch::kPositionAndKv) {
    add(Op::kAttention, {at(0), at(3), at(4), at(1), out}, params, patch, 0,
        offsetof(AttentionParams, kv_length));
  };
  attention(good, at(5));
  const Result<Plan> plan = compile(4);
  ASSERT_TRUE(plan.ok()) << plan.error().message();
  EXPECT_EQ(plan.value().limits.position_limit, 64u);
  ASSERT_EQ(plan.value().limits.pages.size(), 2u);
  table_.commands.clear();
  attention(good, at(5), Patch::kPosition);
  expect_refused();
  attention(good, at(0));  // in place
  expect_refused();
  for (const AttentionParams& params :
       {AttentionParams{0, 0, 4, 3, 16, 0.25f, 64, kPage}, AttentionParams{0, 0, 4, 2, 12, 0.25f, 64, kPage},
        AttentionParams{0, 0, 4, 2, 264, 0.25f, 64, 1u << 20},
        AttentionParams{0, 0, 4, 2, 16, NAN, 64, kPage}, AttentionParams{0, 0, 4, 2, 16, 0.25f, 0, kPage},
        AttentionParams{0, 0, 4, 2, 16, 0.25f, 64, kPage / 2},
        AttentionParams{0, 0, 4, 2, 16, 0.25f, 1u << 24, kPage}}) {
    attention(params, at(5));
    expect_refused();
  }
}

TEST_F(PlanTest, RefusesOpsThatAreNotOffered) {
  add(Op::kNormArgmax, {at(0), at(1), at(2), at(3), weight()}, NormArgmaxParams{64, 1e-5f, 64, kF32});
  expect_refused();
  add(Op::kNormGateUp, {at(0), at(1), weight(), weight(), at(2)},
      NormGateUpParams{64, 1e-5f, 64, kF32, kF32});
  const Result<Plan> plan = compile(1, {.fused = false, .indirect = false});
  EXPECT_EQ(plan.code(), ErrorCode::kInvalidArgument);
  table_.commands.clear();
  EXPECT_EQ(compile().code(), ErrorCode::kInvalidArgument);  // no commands at all
}

TEST(Chips, AreToldApartByNameAndCores) {
  struct Case {
    const char* name;
    std::uint32_t cores, chain_steps, bandwidth;
  };
  for (const Case& c :
       {Case{"Apple M1", 8, 64, 68}, Case{"Apple M2", 10, 64, 100}, Case{"Apple M3", 10, 64, 100},
        Case{"Apple M2 Pro", 19, 96, 200}, Case{"Apple M3 Pro", 14, 96, 150}, Case{"Apple M4", 10, 128, 120},
        Case{"Apple M4 Pro", 20, 128, 273}, Case{"Apple M1 Max", 32, 128, 400},
        Case{"Apple M2 Ultra", 76, 128, 800}, Case{"Apple M3 Max", 30, 128, 300},
        Case{"Apple M3 Max", 40, 128, 400}, Case{"Apple M4 Max", 32, 128, 410},
        Case{"Apple M4 Max", 40, 128, 546}, Case{"Apple M9 Pro", 24, 128, 150},
        Case{"Apple Paravirtual device", 0, 64, 68}, Case{"Apple M4 Max Plus", 40, 128, 300},
        Case{"", 0, 64, 68}}) {
    SCOPED_TRACE(c.name);
    const Chip chip = chip_settings(c.name, c.cores);
    EXPECT_EQ(chip.chain_steps, c.chain_steps);
    EXPECT_EQ(chip.bandwidth, c.bandwidth);
  }
}

}  // namespace
}  // namespace emberline::testing
