// Plans: which commands wait for which, what is bound again, what fused commands become, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "device/command_changes.h"
#include "device/metal/chip.h"
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
               Patch patch = Patch::kNone) {
    Command& command = table_.commands.emplace_back();
    command.op = op;
    command.patch = patch;
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
  // Each with a change of its own, for batches of up to 4 rows.
  void expect_accepted(const Command& command, Changes changes) {
    for (const ChangedCommand& changed : changes) {
      SCOPED_TRACE(changed.name);
      table_.commands = {command};
      changed.change(table_.commands[0]);
      const Result<Plan> plan = compile(4);
      EXPECT_TRUE(plan.ok()) << plan.error().message();
    }
    table_.commands.clear();
  }
  void expect_refused(const Command& command, Changes changes) {
    for (const ChangedCommand& changed : changes) {
      SCOPED_TRACE(changed.name);
      table_.commands = {command};
      changed.change(table_.commands[0]);
      const Result<Plan> plan = compile(4);
      EXPECT_EQ(plan.code(), ErrorCode::kInvalidArgument);
      if (!plan.ok()) {
        EXPECT_NE(plan.error().message().find("Command 0"), std::string::npos);
      }
    }
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
    add(Op::kEmbedding, {at(0), weight(), at(1)}, EmbeddingParams{64, 64, kF32}, patch);
  };
  embedding(Patch::kTokenOffset);
  add(Op::kArgmax, {at(1), at(0), at(2)}, ArgmaxParams{64, 0}, Patch::kArgmaxOutput);
  Result<Plan> plan = compile(2);
  ASSERT_TRUE(plan.ok()) << plan.error().message();
  EXPECT_TRUE(plan.value().looks_at_chain(RowClass::kOne));
  EXPECT_FALSE(plan.value().looks_at_chain(RowClass::kTwo));  // an argmax of two rows is no step
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

// The rules of every device are in native/device/command_check_test.cpp.
TEST_F(PlanTest, RefusesWhatDoesNotFit) {
  using Slot = slot::MatMul;
  const Command product =
      make_command(Op::kMatMul, {at(0), weight(), {}, at(2)}, MatMulParams{64, 8, kF32, 0, 0});
  expect_accepted(product,
                  {{"as it is", not_patched()},
                   {"a row-major matrix at the end", bind(Slot::kWeight, weight(kBytes - 64 * 8 * 4))}});
  expect_refused(product,
                 {{"a row-major matrix past the end", bind(Slot::kWeight, weight(kBytes - 64 * 8 * 4 + 4))},
                  {"x past its buffer", bind(Slot::kX, at(0, kBytes - 4 * 64 * 4 + 4))},
                  {"weight of memory", bind(Slot::kWeight, at(1))},
                  {"y of matrices", bind(Slot::kY, weight())},
                  {"no such buffer", bind(Slot::kX, at(55))},
                  {"not aligned", bind(Slot::kX, at(0, 2))},
                  {"in place", bind(Slot::kY, at(0, 512))},
                  {"a patch", patched(Patch::kPosition)},
                  {"no such type", with(&MatMulParams::weight_type, 4)}});
}

TEST_F(PlanTest, RefusesHeadsWithoutKernels) {
  constexpr std::uint32_t kPage = kKvPagePositions * 2 * 16 * 2;
  using P = AttentionParams;
  using Slot = slot::Attention;
  const Command attention = make_command(Op::kAttention, {at(0), at(3), at(4), at(1), at(5)},
                                         P{0, 4, 2, 16, 0.25f, 64, kPage}, patched(Patch::kPosition));
  table_.commands = {attention};
  const Result<Plan> plan = compile(4);
  ASSERT_TRUE(plan.ok()) << plan.error().message();
  EXPECT_EQ(plan.value().limits.position_limit, 64u);
  ASSERT_EQ(plan.value().limits.pages.size(), 2u);
  expect_accepted(attention, {{"as it is", [](Command&) {}},
                              {"8 wide", with(&P::head_width, 8)},
                              {"a window", with(&P::window, 32)},
                              {"a soft cap", with(&P::soft_cap, 50.0f)}});
  expect_refused(attention, {{"12 wide", with(&P::head_width, 12)},
                             {"264 wide", both(with(&P::head_width, 264), with(&P::kv_heads, 1))},
                             {"keys at half a word", bind(Slot::kKeyCache, at(3, 2))},
                             {"pages of half a word", with(&P::page_stride, kPage + 2)},
                             {"3 for 4", with(&P::kv_heads, 3)},
                             {"no scale", with(&P::scale, NAN)},
                             {"in place", bind(Slot::kOut, at(0))}});
  using Rope = RopeKvWriteParams;
  const Command rope = make_command(Op::kRopeKvWrite, {at(0), at(1), at(2), at(3), at(4), at(5)},
                                    Rope{0, 4, 2, 16, 14, 0, 10000.0f, 64, kPage}, patched(Patch::kPosition));
  expect_accepted(rope, {{"as it is", [](Command&) {}}});
  expect_refused(rope, {{"15 wide", with(&Rope::head_width, 15)},
                        {"pages of half a word", with(&Rope::page_stride, kPage + 2)},
                        {"no positions", with(&Rope::rotary_width, 0)}});
}

TEST_F(PlanTest, AcceptsNormsOfHeadsAndRefusesOtherKinds) {
  const Command norm = make_command(Op::kRmsNorm, {at(0), at(1), at(2)}, RmsNormParams{64, 1e-5f});
  expect_accepted(
      norm, {{"of heads", with(&RmsNormParams::parts, 2)}, {"added", with(&RmsNormParams::accumulate, 1)}});
  expect_refused(norm, {{"centered", with(&RmsNormParams::centered, 1)},
                        {"with a bias", bind(slot::RmsNorm::kBias, at(3))}});
}

TEST_F(PlanTest, AcceptsSoftCapsAndRefusesUnitsWithoutAGate) {
  const Command cap = make_command(Op::kSoftCap, {at(0)}, SoftCapParams{64, 30.0f, 0});
  expect_accepted(cap, {{"as it is", [](Command&) {}}});
  const Command unit = make_command(Op::kGatedUnit, {at(0), at(1), at(2)}, GatedUnitParams{8});
  expect_accepted(unit, {{"as it is", [](Command&) {}}});
  expect_refused(unit, {{"no up", bind(slot::GatedUnit::kUp, {})}});
}

TEST_F(PlanTest, RefusesOpsThatAreNotOffered) {
  const Command unit = make_command(Op::kGatedUnit, {at(0), at(1), at(2)}, GatedUnitParams{8});
  expect_refused(unit, {{"norm+argmax", [](Command& command) { command.op = Op::kNormArgmax; }},
                        {"rope+attention", [](Command& command) { command.op = Op::kRopeAttention; }},
                        {"no op", [](Command& command) { command.op = static_cast<Op>(200); }}});
  add(Op::kNormGateUp, {at(0), at(1), weight(), weight(), at(2)},
      NormGateUpParams{64, 1e-5f, 64, kF32, kF32});
  EXPECT_EQ(compile(1, {.rules = metal_rules(false)}).code(), ErrorCode::kInvalidArgument);
  table_.commands.clear();
  EXPECT_EQ(compile().code(), ErrorCode::kInvalidArgument);  // no commands at all

  const Command sampler = make_command(Op::kGumbel, {}, GumbelParams{kGumbelMaxVocabulary + 1});
  EXPECT_STREQ(metal_rules(true).refuse(sampler), "the vocabulary is too large for the sampler");
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
