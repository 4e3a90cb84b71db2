// prepare() refuses every table that could make a replay touch memory that is not its own, and says which
// command is wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>

#include "device/table_harness.h"

namespace emberline::testing {
namespace {

constexpr std::uint32_t kF32 = 0, kQ4_0 = 2;
constexpr std::size_t kBytes = 1 << 16;

class PlanCheck : public ::testing::Test {
 protected:
  PlanCheck() : device_(cpu_device("portable", 1)), table_(*device_) {
    for (Binding& binding : buffers_) binding = table_.zeros(kBytes);
    weight_ = table_.matrix(TensorType::kF32, kBytes / 4 / 64, 64, std::vector<std::uint8_t>(kBytes));
  }

  Binding at(int i, std::uint64_t offset = 0) const { return {buffers_[i].buffer, offset}; }
  // Inside kBytes of loaded matrices: as F32 they are what a shape says, whatever was loaded.
  Binding weight(std::uint64_t offset = 0) const { return {weight_.buffer, offset}; }
  // Where `bytes` bytes do not fit by 4.
  static Binding past_end(std::uint64_t bytes, Binding binding) {
    binding.offset = kBytes - bytes + 4;
    return binding;
  }

  // The last command added must be the reason.
  void expect_refused(std::uint32_t max_rows = 4) {
    const Status status = table_.prepare(max_rows);
    EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(status.message().find("Command 0"), std::string::npos) << status.message();
    EXPECT_FALSE(table_.replay(Replay{}).ok());
    table_.table().commands.clear();
  }
  void expect_accepted(std::uint32_t max_rows = 4) {
    const Status status = table_.prepare(max_rows);
    EXPECT_TRUE(status.ok()) << status.message();
    table_.table().commands.clear();
  }

  std::unique_ptr<Device> device_;
  TableHarness table_;
  std::array<Binding, 6> buffers_;
  Binding weight_;
};

TEST_F(PlanCheck, Products) {
  const MatMulParams good{64, 8, kF32, 0, 0};
  constexpr std::uint64_t kPanelBytes = 64 * 16 * 4;  // 8 rows take the room of 16
  const auto add = [&](Binding x, Binding w, Binding bias, Binding y, MatMulParams params,
                       Patch patch = Patch::kNone) {
    table_.add(Op::kMatMul, {x, w, bias, y}, params, patch);
  };
  add(at(0), weight(), kAbsent, at(2), good);
  expect_accepted();
  add(at(0, kBytes - 4 * 64 * 4), weight(kBytes - kPanelBytes), at(3, kBytes - 32), at(2, kBytes - 4 * 8 * 4),
      good);
  expect_accepted();

  add(past_end(4 * 64 * 4, at(0)), weight(), kAbsent, at(2), good);
  expect_refused();
  add(at(0), past_end(kPanelBytes, weight()), kAbsent, at(2), good);
  expect_refused();
  add(at(0), weight(), past_end(32, at(3)), at(2), good);
  expect_refused();
  add(at(0), weight(), kAbsent, past_end(4 * 8 * 4, at(2)), good);
  expect_refused();
  add(at(0), weight(kBytes - 64 * 8 * 4), kAbsent, at(2), good);  // room for the rows, not for their panel
  expect_refused();
  add(at(0), at(1), kAbsent, at(2), good);  // memory that the device did not load a matrix into
  expect_refused();
  add(weight(), weight(), kAbsent, at(2), good);
  expect_refused();
  add(at(0), weight(), weight(), at(2), good);
  expect_refused();
  add(at(0, ~std::uint64_t{0} - 8), weight(), kAbsent, at(2), good);
  expect_refused();
  add(at(0), weight(), kAbsent, weight(), good);
  expect_refused();
  add(kAbsent, weight(), kAbsent, at(2), good);
  expect_refused();
  add({12345, 0}, weight(), kAbsent, at(2), good);
  expect_refused();
  add(at(0, 2), weight(), kAbsent, at(2), good);  // not aligned
  expect_refused();
  add(at(0), weight(), kAbsent, at(0, 512), good);  // in place
  expect_refused();
  add(at(0), weight(), kAbsent, at(2), good, Patch::kPosition);
  expect_refused();
  // Rows past a multiple of 16 count as a whole panel.
  add(at(0), weight(kBytes - 2 * kPanelBytes), kAbsent, at(2), {64, 17, kF32, 0, 0});
  expect_accepted();
  add(at(0), weight(kBytes - 2 * kPanelBytes + 64), kAbsent, at(2), {64, 17, kF32, 0, 0});
  expect_refused();
  for (const MatMulParams& params :
       {MatMulParams{0, 8, kF32, 0, 0}, MatMulParams{64, 0, kF32, 0, 0}, MatMulParams{64, 8, 4, 0, 0},
        MatMulParams{64, 8, 99, 0, 0}, MatMulParams{63, 8, kQ4_0, 0, 0}, MatMulParams{64, 8, kF32, 2, 0},
        MatMulParams{64, 8, kF32, 0, 7}, MatMulParams{0xFFFFFFFFu, 0xFFFFFFFFu, kF32, 0, 0},
        MatMulParams{1u << 24, 1u << 24, kF32, 0, 0}}) {
    add(at(0), weight(), kAbsent, at(2), params);
    expect_refused();
  }
}

TEST_F(PlanCheck, EmbeddingNormAndActivation) {
  table_.add(Op::kEmbedding, {at(0), weight(), at(2)}, EmbeddingParams{32, 16, kF32}, Patch::kTokenOffset,
             offsetof(EmbeddingParams, position));
  expect_accepted();
  table_.add(Op::kEmbedding, {past_end(16, at(0)), weight(), at(2)}, EmbeddingParams{32, 16, kF32});
  expect_refused();
  table_.add(Op::kEmbedding, {at(0), weight(), at(2)}, EmbeddingParams{32, 1u << 20, kF32});
  expect_refused();
  table_.add(Op::kEmbedding, {at(0), weight(), past_end(4 * 32 * 4, at(2))}, EmbeddingParams{32, 16, kF32});
  expect_refused();
  table_.add(Op::kEmbedding, {at(0), at(1), at(2)}, EmbeddingParams{32, 16, kF32});
  expect_refused();
  table_.add(Op::kEmbedding, {weight(), weight(), at(2)}, EmbeddingParams{32, 16, kF32});
  expect_refused();
  table_.add(Op::kEmbedding, {at(0), past_end(32 * 16 * 4, weight()), at(2)}, EmbeddingParams{32, 16, kF32});
  expect_refused();

  table_.add(Op::kRmsNorm, {at(0), at(1), at(2)}, RmsNormParams{32, 1e-5f});
  expect_accepted();
  table_.add(Op::kRmsNorm, {at(0), at(1), at(2)}, RmsNormParams{0, 1e-5f});
  expect_refused();
  for (float epsilon : {-1.0f, NAN, INFINITY}) {
    table_.add(Op::kRmsNorm, {at(0), at(1), at(2)}, RmsNormParams{32, epsilon});
    expect_refused();
  }
  table_.add(Op::kRmsNorm, {at(0), past_end(128, at(1)), at(2)}, RmsNormParams{32, 1e-5f});
  expect_refused();
  table_.add(Op::kRmsNorm, {at(0), weight(), at(2)}, RmsNormParams{32, 1e-5f});
  expect_refused();

  table_.add(Op::kGatedUnit, {at(0), at(1), at(2)}, GatedUnitParams{32});
  expect_accepted();
  table_.add(Op::kGatedUnit, {at(0), at(1), past_end(4 * 32 * 4, at(2))}, GatedUnitParams{32});
  expect_refused();
  table_.add(Op::kGatedUnit, {at(0), at(1), at(2)}, GatedUnitParams{32, kGateGeluTanh});
  expect_accepted();
  table_.add(Op::kGatedUnit, {at(0), at(1), at(2)}, GatedUnitParams{32, kGateGeluTanh + 1});
  expect_refused();
}

// Two pages of 16 KB fit into a buffer's 64 KB, keys and values each in one of its own.
constexpr std::uint32_t kPage = kKvPagePositions * 2 * 16 * 2;

TEST_F(PlanCheck, RopeAndAttention) {
  const RopeKvWriteParams rope{0, 4, 2, 16, 16, 0, 10000.0f, 64, kPage};
  const auto add_rope = [&](RopeKvWriteParams params, Patch patch = Patch::kPosition, std::size_t offset = 0,
                            Binding keys = kAbsent, Binding pages = kAbsent) {
    table_.add(Op::kRopeKvWrite,
               {at(0), at(1), at(2), keys.buffer == kNoBuffer ? at(3) : keys, at(4),
                pages.buffer == kNoBuffer ? at(5) : pages},
               params, patch, offset);
  };
  add_rope(rope);
  expect_accepted();
  add_rope(rope, Patch::kPosition, 0, weight());
  expect_refused();
  add_rope(rope, Patch::kPosition, 0, kAbsent, at(5, kBytes - 4));
  expect_accepted();
  add_rope(rope, Patch::kPosition, 0, kAbsent, at(5, kBytes));
  expect_refused();
  add_rope(rope, Patch::kPosition, 0, kAbsent, {12345, 0});
  expect_refused();
  add_rope(rope, Patch::kPosition, 4);
  expect_refused();
  add_rope(rope, Patch::kKvLength);
  expect_refused();
  add_rope(rope, Patch::kPosition, 0, at(3, kBytes - kPage));
  expect_accepted();
  add_rope(rope, Patch::kPosition, 0, past_end(kPage, at(3)));
  expect_refused();
  const auto changed = [&](const std::function<void(RopeKvWriteParams&)>& change) {
    RopeKvWriteParams params = rope;
    change(params);
    return params;
  };
  for (const RopeKvWriteParams& params :
       {changed([](auto& p) { p.query_heads = 0; }), changed([](auto& p) { p.kv_heads = 3; }),
        changed([](auto& p) { p.kv_heads = 8; }), changed([](auto& p) { p.head_width = 0; }),
        changed([](auto& p) { p.rotary_width = 18; }), changed([](auto& p) { p.rotary_width = 15; }),
        changed([](auto& p) { p.style = 2; }), changed([](auto& p) { p.theta = 0; }),
        changed([](auto& p) { p.theta = NAN; }), changed([](auto& p) { p.context = 0; }),
        changed([](auto& p) { p.context = 1u << 24; }), changed([](auto& p) { p.page_stride = kPage - 2; }),
        changed([](auto& p) { p.page_stride = kPage + 1; }), changed([](auto& p) { p.page_stride = 0; }),
        changed([](auto& p) { p.head_width = p.query_heads = 0x10000u; })}) {
    add_rope(params);
    expect_refused();
  }
  add_rope(changed([](auto& p) { p.position = 60; }), Patch::kNone);
  expect_accepted();
  add_rope(changed([](auto& p) { p.position = 61; }), Patch::kNone);
  expect_refused();
  add_rope(changed([](auto& p) { p.position = 0xFFFFFFFFu; }), Patch::kNone);
  expect_refused();

  const AttentionParams attention{0, 0, 4, 2, 16, 0.25f, 64, kPage};
  const auto add_attention = [&](AttentionParams params, Binding out, Patch patch = Patch::kPositionAndKv) {
    table_.add(Op::kAttention, {at(0), at(3), at(4), at(1), out}, params, patch, 0,
               offsetof(AttentionParams, kv_length));
  };
  add_attention(attention, at(5));
  expect_accepted();
  add_attention(attention, at(5), Patch::kPosition);
  expect_refused();
  add_attention(attention, past_end(4 * 64 * 4, at(5)));
  expect_refused();
  add_attention(attention, at(0));  // in place
  expect_refused();
  add_attention({0, 0, 4, 2, 16, NAN, 64, kPage}, at(5));
  expect_refused();
  add_attention({0, 0, 4, 2, 16, 0.25f, 1 << 24, kPage}, at(5));
  expect_refused();
  add_attention({0, 0, 4, 2, 16, 0.25f, 64, kPage / 2}, at(5));
  expect_refused();
}

TEST_F(PlanCheck, RopeAndAttentionInOne) {
  const RopeAttentionParams good{0, 0, 4, 2, 16, 16, 0, 10000.0f, 0.25f, 64, kPage};
  const auto add = [&](RopeAttentionParams params, Binding out, Patch patch = Patch::kPositionAndKv) {
    table_.add(Op::kRopeAttention, {at(0), at(1), at(2), at(3), at(4), at(1), out}, params, patch, 0,
               offsetof(RopeAttentionParams, kv_length));
  };
  const auto changed = [&](const std::function<void(RopeAttentionParams&)>& change) {
    RopeAttentionParams params = good;
    change(params);
    return params;
  };
  add(good, at(5));
  expect_accepted();
  for (int input : {0, 1, 2}) {  // in place
    add(good, at(input));
    expect_refused();
  }
  add(good, past_end(4 * 64 * 4, at(5)));
  expect_refused();
  add(good, weight());  // read-only
  expect_refused();
  add(good, at(5), Patch::kPosition);
  expect_refused();
  for (const RopeAttentionParams& params :
       {changed([](auto& p) { p.kv_heads = 3; }), changed([](auto& p) { p.rotary_width = 18; }),
        changed([](auto& p) { p.style = 2; }), changed([](auto& p) { p.theta = -1; }),
        changed([](auto& p) { p.scale = INFINITY; }), changed([](auto& p) { p.context = 1u << 24; }),
        changed([](auto& p) { p.page_stride = 2; })}) {
    add(params, at(5));
    expect_refused();
  }
}

TEST_F(PlanCheck, Argmax) {
  const auto add = [&](Binding tokens, Binding log_probs, ArgmaxParams params, Patch patch) {
    const bool patched = patch == Patch::kArgmaxOutput;
    table_.add(Op::kArgmax, {at(0), tokens, log_probs}, params, patch,
               patched ? offsetof(ArgmaxParams, position) : 0);
  };
  for (const Patch patch : {Patch::kArgmaxOutput, Patch::kNone}) {
    add(at(1, kBytes - 20), at(2, kBytes - 20), {100, 0}, patch);
    expect_accepted();
    add(at(1, kBytes - 16), at(2), {100, 0}, patch);  // no room for element 4
    expect_refused();
    add(at(1), at(2, kBytes - 16), {100, 0}, patch);
    expect_refused();
  }
  add(at(1, kBytes - 28), at(2, kBytes - 28), {100, 0, 2}, Patch::kNone);
  expect_accepted();
  add(at(1, kBytes - 28), at(2, kBytes - 28), {100, 0, 3}, Patch::kNone);
  expect_refused();
  add(at(1), at(2), {100, 0, 0xFFFFFFFFu}, Patch::kNone);
  expect_refused();
  add(at(1), at(2), {0, 0}, Patch::kNone);
  expect_refused();
  add(at(1), at(2), {100, 2}, Patch::kNone);
  expect_refused();
  add(at(1), at(2), {1u << 20, 1}, Patch::kNone);
  expect_refused();
}

TEST_F(PlanCheck, FusedOps) {
  const NormQkvParams qkv{64, 1e-5f, 64, 32, kF32, kF32, kF32};
  const auto add_qkv = [&](NormQkvParams params, Binding v, Binding w_v) {
    table_.add(Op::kNormQkv,
               {at(0), at(1), weight(), weight(), w_v, kAbsent, kAbsent, kAbsent, at(3), at(4), v}, params);
  };
  add_qkv(qkv, at(5), weight());
  expect_accepted();
  add_qkv(qkv, at(5), at(2));
  expect_refused();
  add_qkv(qkv, at(5), past_end(64 * 32 * 4, weight()));
  expect_refused();
  add_qkv(qkv, past_end(4 * 32 * 4, at(5)), weight());
  expect_refused();
  add_qkv(qkv, at(0), weight());
  expect_refused();
  add_qkv({64, 1e-5f, 64, 32, kF32, 77, kF32}, at(5), weight());
  expect_refused();
  add_qkv({64, -1.0f, 64, 32, kF32, kF32, kF32}, at(5), weight());
  expect_refused();

  table_.add(Op::kNormGateUp, {at(0), at(1), weight(), weight(), at(4)},
             NormGateUpParams{64, 1e-5f, 96, kF32, kF32});
  expect_accepted();
  table_.add(Op::kNormGateUp, {at(0), at(1), weight(), past_end(96 * 64 * 4, weight()), at(4)},
             NormGateUpParams{64, 1e-5f, 96, kF32, kF32});
  expect_refused();
  table_.add(Op::kNormGateUp, {at(0), at(1), at(2), weight(), at(4)},
             NormGateUpParams{64, 1e-5f, 96, kF32, kF32});
  expect_refused();
  table_.add(Op::kNormMatMul, {at(0), at(1), weight(), at(3)}, NormMatMulParams{64, 1e-5f, 96, kF32, 1});
  expect_accepted();
  table_.add(Op::kNormMatMul, {at(0), at(1), weight(), past_end(96 * 4, at(3))},
             NormMatMulParams{64, 1e-5f, 96, kF32, 1});
  expect_refused();
  table_.add(Op::kNormMatMul, {at(0), weight(), weight(), at(3)}, NormMatMulParams{64, 1e-5f, 96, kF32, 1});
  expect_refused();

  const auto plain = cpu_device("portable", 1, false);
  TableHarness table(*plain);
  table.add(Op::kNormMatMul, {}, NormMatMulParams{});
  EXPECT_EQ(table.prepare(1).code(), ErrorCode::kInvalidArgument);
}

TEST_F(PlanCheck, Tables) {
  EXPECT_EQ(table_.prepare(1).code(), ErrorCode::kInvalidArgument);  // no commands
  const auto add = [&] { table_.add(Op::kGatedUnit, {at(0), at(1), at(2)}, GatedUnitParams{8}); };
  for (std::uint32_t rows : {0u, 4097u, 0xFFFFFFFFu}) {
    add();
    EXPECT_EQ(table_.prepare(rows).code(), ErrorCode::kInvalidArgument);
    table_.table().commands.clear();
  }
  table_.add(static_cast<Op>(200), {at(0)}, GatedUnitParams{8});
  expect_refused();
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
