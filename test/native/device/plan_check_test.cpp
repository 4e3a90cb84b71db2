// prepare() refuses every table that could make a replay touch memory that is not its own, and says which
// command is wrong. The rules themselves are in command_check_test.cpp; here is what the CPU makes of them.
#include <gtest/gtest.h>

#include <cstddef>

#include "device/command_changes.h"
#include "device/table_harness.h"

namespace emberline::testing {
namespace {

constexpr std::uint32_t kF32 = 0;
constexpr std::size_t kBytes = 1 << 16;
constexpr std::uint32_t kRows = 4;

class PlanCheck : public ::testing::Test {
 protected:
  PlanCheck() : device_(cpu_device("portable", 1)), table_(*device_) {
    for (Binding& binding : buffers_) binding = table_.zeros(kBytes);
    weight_ = table_.matrix(TensorType::kF32, kBytes / 4 / 64, 64, std::vector<std::uint8_t>(kBytes));
  }

  Binding at(int i, std::uint64_t offset = 0) const { return {buffers_[i].buffer, offset}; }
  // Inside kBytes of loaded matrices: as F32 they are what a shape says, whatever was loaded.
  Binding weight(std::uint64_t offset = 0) const { return {weight_.buffer, offset}; }
  Command gated_unit() const {
    return make_command(Op::kGatedUnit, {at(0), at(1), at(2)}, GatedUnitParams{8});
  }

  void expect_accepted(const Command& command, Changes changes) {
    for (const ChangedCommand& changed : changes) {
      SCOPED_TRACE(changed.name);
      const Status status = prepare_changed(command, changed.change);
      EXPECT_TRUE(status.ok()) << status.message();
    }
  }
  void expect_refused(const Command& command, Changes changes) {
    for (const ChangedCommand& changed : changes) {
      SCOPED_TRACE(changed.name);
      const Status status = prepare_changed(command, changed.change);
      EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
      EXPECT_NE(status.message().find("Command 0"), std::string::npos) << status.message();
      EXPECT_FALSE(table_.replay(Replay{}).ok());
    }
  }

  std::unique_ptr<Device> device_;
  TableHarness table_;
  std::array<Binding, 6> buffers_;
  Binding weight_;

 private:
  Status prepare_changed(const Command& command, const Change& change) {
    table_.table().commands = {command};
    change(table_.table().commands[0]);
    return table_.prepare(kRows);
  }
};

TEST_F(PlanCheck, BindingsAndParameters) {
  using Slot = slot::MatMul;
  const Command product =
      make_command(Op::kMatMul, {at(0), weight(), kAbsent, at(2)}, MatMulParams{64, 8, kF32, 0, 0});
  expect_accepted(product, {{"as it is", not_patched()}, {"bias", bind(Slot::kBias, at(3, kBytes - 32))}});
  expect_refused(product, {{"x past its buffer", bind(Slot::kX, at(0, kBytes - kRows * 64 * 4 + 4))},
                           {"y past its buffer", bind(Slot::kY, at(2, kBytes - kRows * 8 * 4 + 4))},
                           {"x of matrices", bind(Slot::kX, weight())},
                           {"y of matrices", bind(Slot::kY, weight())},
                           {"weight of memory", bind(Slot::kWeight, at(1))},
                           {"in place", bind(Slot::kY, at(0, 512))},
                           {"no such buffer", bind(Slot::kX, {12345, 0})},
                           {"no such type", with(&MatMulParams::weight_type, 99)},
                           {"a patch", patched(Patch::kPosition)}});
}

TEST_F(PlanCheck, MatricesTakeWholePanels) {
  using Slot = slot::MatMul;
  constexpr std::uint64_t kPanelBytes = 64 * 16 * 4;  // 8 rows take the room of 16
  Command product =
      make_command(Op::kMatMul, {at(0), weight(), kAbsent, at(2)}, MatMulParams{64, 8, kF32, 0, 0});
  expect_accepted(product, {{"one panel", bind(Slot::kWeight, weight(kBytes - kPanelBytes))}});
  expect_refused(product, {{"past the end", bind(Slot::kWeight, weight(kBytes - kPanelBytes + 4))},
                           {"room for the rows alone", bind(Slot::kWeight, weight(kBytes - 64 * 8 * 4))}});
  with(&MatMulParams::out, 17)(product);
  expect_accepted(product, {{"two panels", bind(Slot::kWeight, weight(kBytes - 2 * kPanelBytes))}});
  expect_refused(product, {{"past the end", bind(Slot::kWeight, weight(kBytes - 2 * kPanelBytes + 64))}});
}

TEST_F(PlanCheck, WhatThisDeviceDoesNotOffer) {
  using Slot = slot::Argmax;
  const Command argmax = make_command(Op::kArgmax, {at(0), at(1), at(2)}, ArgmaxParams{100, 1});
  expect_accepted(argmax, {{"of logits", not_patched()}});
  expect_refused(argmax,
                 {{"of scores", both(bind(Slot::kRawLogits, at(3)), bind(Slot::kNormalizer, at(4)))}});
  expect_refused(gated_unit(),
                 {{"a sampler", [](Command& command) { command.op = Op::kGumbel; }},
                  {"another's fused op", [](Command& command) { command.op = Op::kNormQkvRope; }},
                  {"no op", [](Command& command) { command.op = static_cast<Op>(200); }}});

  const Command output = make_command(Op::kNormMatMul, {at(0), at(1), weight(), at(3)},
                                      NormMatMulParams{64, 1e-5f, 96, kF32, 1});
  expect_accepted(output, {{"fused", not_patched()}});
  const auto plain = cpu_device("portable", 1, false);
  TableHarness table(*plain);
  table.table().commands = {output};
  EXPECT_NE(table.prepare(1).message().find("does not offer"), std::string::npos);
}

TEST_F(PlanCheck, Tables) {
  EXPECT_EQ(table_.prepare(1).code(), ErrorCode::kInvalidArgument);  // no commands
  table_.table().commands = {gated_unit()};
  for (std::uint32_t rows : {0u, 4097u, 0xFFFFFFFFu}) {
    EXPECT_EQ(table_.prepare(rows).code(), ErrorCode::kInvalidArgument);
  }
}

TEST_F(PlanCheck, AMessageNamesTheCommand) {
  table_.add(Op::kGatedUnit, {at(0), at(1), at(2)}, GatedUnitParams{8});
  table_.add(Op::kGatedUnit, {at(0), at(1), weight()}, GatedUnitParams{8});
  const Status status = table_.prepare(1);
  EXPECT_NE(status.message().find("Command 1 (command 2)"), std::string::npos) << status.message();
}

TEST_F(PlanCheck, APlanDoesNotOutliveItsBuffers) {
  const BufferId buffer = device_->allocate(kBytes).value();
  table_.add(Op::kGatedUnit, {at(0), {buffer, 0}, at(2)}, GatedUnitParams{8});
  ASSERT_TRUE(table_.prepare(1).ok());
  EXPECT_TRUE(table_.replay(Replay{}).ok());
  device_->release(buffer);
  EXPECT_EQ(table_.replay(Replay{}).code(), ErrorCode::kInvalidArgument);
  DispatchTable never_prepared = table_.table();
  EXPECT_EQ(device_->replay(never_prepared, Replay{}).code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace emberline::testing
