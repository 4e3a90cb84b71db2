// The rules of commands, the same on every device: what is refused, and why; what right commands are found to
// touch.
#include "device/checks/command_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "device/command_changes.h"
#include "device/right_commands.h"

namespace emberline::testing {
namespace {

const char kPast[] = "a binding reaches past its buffer";
const char kNoSuchBuffer[] = "a binding names no buffer";
const char kNotAligned[] = "a binding is not aligned to its element size";
const char kNotLoaded[] = "a weight is not a matrix that the device loaded";
const char kMisplacedWeight[] = "a loaded matrix is bound where no weight belongs";
const char kOverlap[] = "an output overlaps an input";
const char kWrongPatch[] = "the patch does not fit the op";
const char kExtent[] = "an extent is not in 1 to 16777216";
const char kFlag[] = "a flag is neither 0 nor 1";
const char kWrongEpsilon[] = "the epsilon is not a small number";
const char kNoType[] = "there are no kernels for the weight's type";
const char kNoBlock[] = "the width is no multiple of the weight's block";
const char kHeads[] = "the query heads are no multiple of the key/value heads";
const char kRotaryWidth[] = "the rotary width is odd or wider than a head";
const char kRotaryBase[] = "the rotary base is not positive";
const char kPages[] = "the pages of the cache overlap or are not aligned";
const char kOutside[] = "the position is outside the cache";
const char kScale[] = "the scale is not finite";
const char kWrongCap[] = "the soft cap is not a positive number";
const char kNoActivation[] = "there is no such activation";
const char kOneRow[] = "a sampler takes one row";

constexpr Op kFusedOps[] = {Op::kNormQkv,       Op::kNormGateUp,    Op::kNormMatMul, Op::kNormArgmax,
                            Op::kNormQkvRope,   Op::kRopeAttention, Op::kQkNormRope, Op::kAddNormQkv,
                            Op::kAddNormGateUp, Op::kGumbel,        Op::kExperts};

MatrixExtent as_in_a_file(TensorType type, std::uint32_t rows, std::uint32_t width) {
  const std::uint64_t row = std::uint64_t{width} / traits(type).block_elements * traits(type).block_bytes;
  return {rows * row, row};
}

const char* refuse_nothing(const Command&) {
  return nullptr;
}

CheckedCommand check(const Command& command, std::uint32_t rows = kRows,
                     const DeviceRules& rules = {kFusedOps, as_in_a_file, refuse_nothing}) {
  return check_command(command, rows, SomeBuffers(), rules);
}

void expect_right(const Command& command, Changes changes, std::uint32_t rows = kRows) {
  for (const ChangedCommand& changed : changes) {
    SCOPED_TRACE(changed.name);
    Command other = command;
    changed.change(other);
    EXPECT_STREQ(check(other, rows).problem, nullptr);
  }
}

// Each change makes a right command wrong, for this reason.
void expect_wrong(const Command& command, const char* reason, Changes changes, std::uint32_t rows = kRows) {
  for (const ChangedCommand& changed : changes) {
    SCOPED_TRACE(changed.name);
    Command other = command;
    changed.change(other);
    EXPECT_STREQ(check(other, rows).problem, reason);
  }
}

TEST(CommandCheck, EveryBindingOfEveryOp) {
  for (int op = 0; op < kOpCount; ++op) {
    const RightCommand good = right(static_cast<Op>(op));
    SCOPED_TRACE(op_name(good.command.op));
    expect_right(good.command, {{"as it is", [](Command&) {}}}, good.rows);
    for (std::size_t i = 0; i < good.bytes.size(); ++i) {
      SCOPED_TRACE("slot " + std::to_string(i));
      const int slot = static_cast<int>(i);
      const BufferId buffer = good.command.bindings[i].buffer;
      const bool is_weight = buffer == kWeights;
      expect_right(good.command, {{"at the end", bind(slot, at_end(buffer, good.bytes[i]))}}, good.rows);
      expect_wrong(good.command, kPast,
                   {{"past the end", bind(slot, past_end(buffer, good.bytes[i]))},
                    {"sum overflows", bind(slot, at(buffer, ~std::uint64_t{0} - 7))}},
                   good.rows);
      expect_wrong(good.command, kNotAligned, {{"not aligned", bind(slot, at(buffer, 1))}}, good.rows);
      expect_wrong(good.command, kNoSuchBuffer, {{"unknown", bind(slot, at(12345))}}, good.rows);
      expect_wrong(good.command, is_weight ? kNotLoaded : kMisplacedWeight,
                   {{"other kind", bind(slot, is_weight ? at(9) : weight())}}, good.rows);
    }
    expect_wrong(good.command, kWrongPatch,
                 {{"other patch", patched(good.command.patch == Patch::kTokenOffset ? Patch::kPosition
                                                                                    : Patch::kTokenOffset)}},
                 good.rows);
  }
}

// An output may not lie where others still read an input.
TEST(CommandCheck, OutputsOfProductsAndAttentionAreApartFromTheirInputs) {
  struct Case {
    Op op;
    int input, output;
  };
  using Qkv = slot::NormQkv;
  using Both = slot::RopeAttention;
  for (const Case& c : {Case{Op::kMatMul, slot::MatMul::kX, slot::MatMul::kY},
                        Case{Op::kAttention, slot::Attention::kQ, slot::Attention::kOut},
                        Case{Op::kNormQkv, Qkv::kX, Qkv::kQ},
                        Case{Op::kNormQkv, Qkv::kX, Qkv::kK},
                        Case{Op::kNormQkv, Qkv::kX, Qkv::kV},
                        Case{Op::kNormGateUp, slot::NormGateUp::kX, slot::NormGateUp::kOut},
                        Case{Op::kNormMatMul, slot::NormMatMul::kX, slot::NormMatMul::kY},
                        Case{Op::kRopeAttention, Both::kQ, Both::kOut},
                        Case{Op::kRopeAttention, Both::kK, Both::kOut},
                        Case{Op::kRopeAttention, Both::kV, Both::kOut},
                        Case{Op::kNormQkvRope, slot::NormQkvRope::kX, slot::NormQkvRope::kQ},
                        Case{Op::kAddNormQkv, slot::AddNormQkv::kX, slot::AddNormQkv::kSum},
                        Case{Op::kAddNormQkv, slot::AddNormQkv::kAdded, slot::AddNormQkv::kSum},
                        Case{Op::kAddNormQkv, slot::AddNormQkv::kAdded, slot::AddNormQkv::kV},
                        Case{Op::kAddNormGateUp, slot::AddNormGateUp::kX, slot::AddNormGateUp::kOut},
                        Case{Op::kAddNormGateUp, slot::AddNormGateUp::kAdded, slot::AddNormGateUp::kSum},
                        Case{Op::kAddNormGateUp, slot::AddNormGateUp::kAdded, slot::AddNormGateUp::kOut},
                        Case{Op::kGumbel, slot::Gumbel::kLogits, slot::Gumbel::kScores},
                        Case{Op::kExperts, slot::Experts::kX, slot::Experts::kOut},
                        Case{Op::kExperts, slot::Experts::kLogits, slot::Experts::kOut},
                        Case{Op::kExperts, slot::Experts::kHidden, slot::Experts::kOut},
                        Case{Op::kExperts, slot::Experts::kX, slot::Experts::kHidden},
                        Case{Op::kExperts, slot::Experts::kLogits, slot::Experts::kHidden}}) {
    SCOPED_TRACE(op_name(c.op));
    const RightCommand good = right(c.op);
    const BufferId buffer = good.command.bindings[static_cast<std::size_t>(c.input)].buffer;
    const std::uint64_t end = good.bytes[static_cast<std::size_t>(c.input)];
    expect_right(good.command, {{"behind", bind(c.output, at(buffer, end))}}, good.rows);
    expect_wrong(
        good.command, kOverlap,
        {{"in place", bind(c.output, at(buffer))}, {"at its end", bind(c.output, at(buffer, end - 4))}},
        good.rows);
  }
  expect_right(right(Op::kGatedUnit).command, {{"in place", bind(slot::GatedUnit::kOut, at(0))}});
}

TEST(CommandCheck, Products) {
  using Slot = slot::MatMul;
  using P = MatMulParams;
  const Command product = right(Op::kMatMul).command;
  expect_right(product, {{"no bias", bind(Slot::kBias, {})},
                         {"x behind y", both(bind(Slot::kX, at(0, 8 * kFloats)), bind(Slot::kY, at(0)))},
                         {"y of one row", both(with(&P::last_row_only, 1), bind(Slot::kY, at_end(2, 32)))}});
  expect_wrong(product, kPast, {{"shape", both(with(&P::in, 1u << 24), with(&P::out, 1u << 24))}});
  expect_wrong(product, kExtent,
               {{"no columns", with(&P::in, 0)},
                {"no rows", with(&P::out, 0)},
                {"all rows", both(with(&P::in, kHuge), with(&P::out, kHuge))}});
  expect_wrong(product, kNoType,
               {{"removed", with(&P::weight_type, 4)}, {"none", with(&P::weight_type, 99)}});
  expect_wrong(product, kNoBlock, {{"odd", both(with(&P::weight_type, kQ4_0), with(&P::in, 63))}});
  expect_wrong(product, kFlag,
               {{"accumulate", with(&P::accumulate, 2)},
                {"last row only", with(&P::last_row_only, 7)},
                {"fine activations", with(&P::fine_activations, 2)}});
}

TEST(CommandCheck, Embedding) {
  using P = EmbeddingParams;
  const Command embedding = right(Op::kEmbedding).command;
  const CheckedCommand checked = check(embedding);
  EXPECT_EQ(checked.limits.position_limit, kBytes / 4);
  ASSERT_EQ(checked.limits.tokens.size(), 1u);
  EXPECT_TRUE(checked.limits.tokens[0].patched);
  EXPECT_EQ(checked.traffic.weights, kRows * 32u * 4);
  const auto position = [](std::uint32_t value) { return both(not_patched(), with(&P::position, value)); };
  expect_right(embedding, {{"at the last position", position(kBytes / 4 - kRows)}});
  expect_wrong(
      embedding, kPast,
      {{"position", position(kBytes / 4 - kRows + 1)}, {"vocabulary", with(&P::vocabulary, 1u << 20)}});
}

TEST(CommandCheck, ScaleOfEmbeddings) {
  const Command embedding = right(Op::kEmbedding).command;
  expect_right(embedding, {{"negative", with(&EmbeddingParams::scale, -2.0f)}});
  expect_wrong(embedding, kScale, {{"not a number", with(&EmbeddingParams::scale, NAN)}});
}

TEST(CommandCheck, NormAndGatedUnit) {
  using N = RmsNormParams;
  const Command norm = right(Op::kRmsNorm).command;
  expect_wrong(norm, kExtent,
               {{"no width", with(&N::width, 0)},
                {"no parts", with(&N::parts, 0)},
                {"too wide", both(with(&N::width, 0x10000), with(&N::parts, 0x10000))}});
  expect_right(norm, {{"added", with(&N::accumulate, 1)},
                      {"centered", with(&N::centered, 1)},
                      {"no bias", bind(slot::RmsNorm::kBias, {})}});
  expect_wrong(norm, kFlag, {{"2", with(&N::accumulate, 2)}, {"centered", with(&N::centered, 3)}});
  const auto addend = [](std::uint64_t bytes_less) {
    return bind(slot::RmsNorm::kAddend, at_end(4, 32 * kFloats - bytes_less));
  };
  expect_right(norm, {{"to another", both(with(&N::accumulate, 1), addend(0))}});
  expect_wrong(norm, kPast, {{"past the end", both(with(&N::accumulate, 1), addend(4))}});
  expect_wrong(norm, "there is an addend and nothing is added", {{"not added", addend(0)}});
  expect_wrong(norm, kWrongEpsilon,
               {{"negative", with(&N::epsilon, -1.0f)},
                {"not a number", with(&N::epsilon, NAN)},
                {"infinite", with(&N::epsilon, INFINITY)}});
  using Q = QkNormRopeParams;
  const Command qk = right(Op::kQkNormRope).command;
  expect_right(qk, {{"all heads of queries",
                     both(with(&Q::query_part, 64), bind(slot::QkNormRope::kQueryGain, at(9)))}});
  expect_wrong(qk, "what is normed together is no whole number of heads",
               {{"half a head", with(&Q::query_part, 8)},
                {"three of four heads", with(&Q::query_part, 48)},
                {"more than all", with(&Q::key_part, 64)}});
  expect_wrong(qk, kExtent, {{"nothing", with(&Q::key_part, 0)}});
  expect_wrong(qk, kWrongEpsilon, {{"negative", with(&Q::epsilon, -1.0f)}});
  using G = GatedUnitParams;
  const Command unit = right(Op::kGatedUnit).command;
  expect_right(unit, {{"gelu", with(&G::activation, kGateGeluTanh)}});
  expect_wrong(unit, kNoActivation, {{"unknown", with(&G::activation, kGateActivations)}});
  expect_wrong(unit, kExtent, {{"no width", with(&G::width, 0)}});
}

// What every op with heads has to keep to: the parameters' fields have the same names.
template <typename P>
void expect_heads_checked(const Command& command) {
  expect_wrong(command, kExtent,
               {{"no heads", with(&P::query_heads, 0)},
                {"no width", with(&P::head_width, 0)},
                {"no context", with(&P::context, 0)},
                {"too wide", both(with(&P::head_width, 0x10000), with(&P::query_heads, 0x10000))}});
  expect_wrong(command, kHeads, {{"3", with(&P::kv_heads, 3)}, {"8", with(&P::kv_heads, 8)}});
}

// The cache that the slots of `Slot` bind.
template <typename Slot, typename P>
void expect_cache_checked(const Command& command) {
  expect_right(command, {{"values not usable yet", bind(Slot::kValueCache, at(kGrowing))},
                         {"at the last position", both(not_patched(), with(&P::position, 60))}});
  expect_wrong(
      command, kPast,
      {{"pages not usable yet", bind(Slot::kPages, at(kGrowing))}, {"context", with(&P::context, 1u << 24)}});
  expect_wrong(command, kPages,
               {{"too close", with(&P::page_stride, kPage - 2)},
                {"not aligned", with(&P::page_stride, kPage + 1)},
                {"all in one place", with(&P::page_stride, 0)}});
  if constexpr (requires { &P::cache_type; }) {
    constexpr auto kQuantPage = static_cast<std::uint32_t>(kv_page_bytes(2, 16, kKvQ8_0));
    static_assert(kQuantPage < kPage);
    const auto quantized = [](std::uint32_t stride) {
      return both(with(&P::cache_type, kKvQ8_0), with(&P::page_stride, stride));
    };
    expect_right(command, {{"quantised", quantized(kQuantPage)}});
    expect_wrong(command, kPages,
                 {{"quantised, too close", quantized(kQuantPage - 2)},
                  {"not quantised", with(&P::page_stride, kQuantPage)}});
    expect_wrong(command, "there is no such type of a cache", {{"unknown", with(&P::cache_type, kKvTypes)}});
  }
  expect_wrong(command, kOutside,
               {{"behind the end", both(not_patched(), with(&P::position, 61))},
                {"far behind", both(not_patched(), with(&P::position, kHuge))}});
  const CheckedCommand checked = check(command);
  EXPECT_EQ(checked.limits.position_limit, 64u);
  ASSERT_EQ(checked.limits.pages.size(), 2u);
  EXPECT_EQ(checked.limits.pages[0].page_end, kPage);
  EXPECT_TRUE(checked.limits.pages[1].patched);
}

template <typename P>
void expect_rotation_checked(const Command& command) {
  expect_wrong(command, kRotaryWidth,
               {{"wider", with(&P::rotary_width, 18)}, {"odd", with(&P::rotary_width, 15)}});
  expect_wrong(command, "there is no such rotary style", {{"unknown", with(&P::style, 2)}});
  expect_wrong(command, kRotaryBase,
               {{"zero", with(&P::theta, 0)},
                {"negative", with(&P::theta, -1)},
                {"not a number", with(&P::theta, NAN)}});
}

TEST(CommandCheck, RopeAndAttention) {
  const Command rope = right(Op::kRopeKvWrite).command;
  expect_heads_checked<RopeKvWriteParams>(rope);
  expect_rotation_checked<RopeKvWriteParams>(rope);
  expect_cache_checked<slot::RopeKvWrite, RopeKvWriteParams>(rope);

  const Command attention = right(Op::kAttention).command;
  expect_heads_checked<AttentionParams>(attention);
  expect_cache_checked<slot::Attention, AttentionParams>(attention);
  expect_wrong(attention, kScale, {{"not a number", with(&AttentionParams::scale, NAN)}});
  EXPECT_EQ(check(attention).traffic.kv, 2u * 32 * 2);  // a position: keys and values

  const Command in_one = right(Op::kRopeAttention).command;
  expect_heads_checked<RopeAttentionParams>(in_one);
  expect_rotation_checked<RopeAttentionParams>(in_one);
  expect_cache_checked<slot::RopeAttention, RopeAttentionParams>(in_one);
  expect_wrong(in_one, kScale, {{"infinite", with(&RopeAttentionParams::scale, INFINITY)}});

  const Command with_qkv = right(Op::kNormQkvRope).command;
  expect_heads_checked<NormQkvRopeParams>(with_qkv);
  expect_rotation_checked<NormQkvRopeParams>(with_qkv);
  expect_cache_checked<slot::NormQkvRope, NormQkvRopeParams>(with_qkv);
}

TEST(CommandCheck, Argmax) {
  using Slot = slot::Argmax;
  using P = ArgmaxParams;
  const Command argmax = right(Op::kArgmax).command;
  for (const Op op : {Op::kArgmax, Op::kNormArgmax})
    EXPECT_EQ(check(right(op).command).limits.position_limit, kBytes / 4 - 1);
  const auto position = [](std::uint32_t value) { return both(not_patched(), with(&P::position, value)); };
  expect_right(argmax, {{"at the last position", position(kBytes / 4 - kRows - 1)},
                        {"one row", both(with(&P::last_row_only, 1), bind(Slot::kTokens, at_end(1, 8)))}});
  expect_wrong(argmax, kPast,
               {{"position", position(kBytes / 4 - kRows)},
                {"far position", position(kHuge)},
                {"logits", both(with(&P::vocabulary, 1u << 20), with(&P::last_row_only, 1))}});
  expect_wrong(argmax, kExtent, {{"no vocabulary", with(&P::vocabulary, 0)}});
  expect_wrong(argmax, kFlag, {{"last row only", with(&P::last_row_only, 2)}});

  const Change logits = bind(Slot::kRawLogits, at_end(3, 400)),
               normalizer = bind(Slot::kNormalizer, at_end(4, 4));
  expect_right(argmax, {{"of a sampler", both(logits, normalizer)}}, 1);
  expect_wrong(argmax, kPast,
               {{"raw logits", both(bind(Slot::kRawLogits, past_end(3, 400)), normalizer)},
                {"normalizer", both(logits, bind(Slot::kNormalizer, past_end(4, 4)))}},
               1);
  expect_wrong(argmax, kOneRow, {{"of samplers", both(logits, normalizer)}});
  expect_wrong(argmax, "raw logits come without their normalizer",
               {{"without", logits}, {"alone", normalizer}}, 1);
}

TEST(CommandCheck, Experts) {
  using P = ExpertsParams;
  const Command experts = right(Op::kExperts).command;
  expect_right(experts, {{"all used", with(&P::used, 8)}, {"of all", with(&P::weighting, kSoftmaxOfAll)}});
  expect_wrong(experts, "more experts are used than there are", {{"9", with(&P::used, 9)}});
  expect_wrong(experts, "there is no such weighting of experts",
               {{"unknown", with(&P::weighting, kExpertWeightings)}});
  expect_wrong(experts, kNoActivation, {{"unknown", with(&P::activation, kGateActivations)}});
  expect_wrong(experts, kScale, {{"not a number", with(&P::scale, NAN)}});
  expect_wrong(experts, kExtent,
               {{"none", with(&P::experts, 0)},
                {"none used", with(&P::used, 0)},
                {"no width", with(&P::width, 0)},
                {"nothing hidden", with(&P::hidden, 0)},
                {"too many", both(with(&P::experts, 1u << 16), with(&P::hidden, 1u << 16))}});
  expect_wrong(experts, kPast, {{"experts", with(&P::experts, 64)}});
  expect_wrong(experts, kNoType, {{"down", with(&P::down_type, 4)}});
  // Of one row two experts of eight are read, of many rows each once.
  const std::uint64_t one = 3u * 16 * 32 * 4;
  EXPECT_EQ(check(experts, 1).traffic.weights, 2 * one);
  EXPECT_EQ(check(experts, 3).traffic.weights, 6 * one);
  EXPECT_EQ(check(experts, 4).traffic.weights, 8 * one);
}

TEST(CommandCheck, Gumbel) {
  using P = GumbelParams;
  const Command gumbel = right(Op::kGumbel).command;
  EXPECT_EQ(check(gumbel, 1).limits.position_limit, kBytes / 4);
  expect_wrong(gumbel, kOneRow, {{"two rows", [](Command&) {}}}, 2);
  expect_wrong(gumbel, kPast, {{"history", both(not_patched(), with(&P::position, kBytes / 4))}}, 1);
  expect_wrong(gumbel, kExtent, {{"no vocabulary", with(&P::vocabulary, 0)}}, 1);
}

TEST(CommandCheck, SoftCapsAndWindows) {
  using C = SoftCapParams;
  const Command cap = right(Op::kSoftCap).command;
  expect_right(cap, {{"one row", both(with(&C::last_row_only, 1), bind(slot::SoftCap::kX, at_end(0, 400)))}});
  expect_wrong(cap, kWrongCap,
               {{"none", with(&C::cap, 0.0f)},
                {"negative", with(&C::cap, -1.0f)},
                {"not a number", with(&C::cap, NAN)},
                {"infinite", with(&C::cap, INFINITY)}});
  expect_wrong(cap, kExtent, {{"no width", with(&C::width, 0)}});
  expect_wrong(cap, kFlag, {{"2", with(&C::last_row_only, 2)}});
  using A = AttentionParams;
  const Command attention = right(Op::kAttention).command;
  expect_right(attention, {{"a window", with(&A::window, 1)},
                           {"longer than the context", with(&A::window, kHuge)},
                           {"a cap", with(&A::soft_cap, 50.0f)}});
  expect_wrong(attention, kWrongCap,
               {{"negative", with(&A::soft_cap, -1.0f)}, {"infinite", with(&A::soft_cap, INFINITY)}});
  expect_wrong(right(Op::kRopeAttention).command, kWrongCap,
               {{"not a number", with(&RopeAttentionParams::soft_cap, NAN)}});
}

TEST(CommandCheck, NormsAndProducts) {
  using Qkv = NormQkvParams;
  const Command qkv = right(Op::kNormQkv).command;
  expect_right(
      qkv, {{"a bias of the query alone", both(bind(slot::NormQkv::kBk, {}), bind(slot::NormQkv::kBv, {}))}});
  expect_wrong(qkv, kNoType, {{"k", with(&Qkv::k_type, 77)}});
  expect_wrong(qkv, kWrongEpsilon, {{"negative", with(&Qkv::epsilon, -1.0f)}});
  expect_wrong(qkv, kExtent, {{"no width", with(&Qkv::width, 0)}, {"no keys", with(&Qkv::kv_out, 0)}});
  expect_wrong(qkv, kFlag, {{"fine activations", with(&Qkv::fine_activations, 2)}});

  const Command gate_up = right(Op::kNormGateUp).command;
  expect_wrong(gate_up, kNoActivation, {{"unknown", with(&NormGateUpParams::activation, kGateActivations)}});
  expect_wrong(gate_up, kNoType, {{"up", with(&NormGateUpParams::up_type, 77)}});

  using Output = NormMatMulParams;
  const Command output = right(Op::kNormMatMul).command;
  const Change one_row = with(&Output::last_row_only, 1);
  expect_right(output, {{"one row", both(one_row, bind(slot::NormMatMul::kY, at_end(3, 96 * 4)))}});
  expect_wrong(output, kPast, {{"one row", both(one_row, bind(slot::NormMatMul::kY, past_end(3, 96 * 4)))}});
  expect_wrong(output, kFlag,
               {{"last row only", with(&Output::last_row_only, 2)},
                {"fine activations", with(&Output::fine_activations, 2)}});
  expect_wrong(right(Op::kNormArgmax).command, kFlag,
               {{"fine activations", with(&NormArgmaxParams::fine_activations, 2)}});

  using Slot = slot::NormQkvRope;
  const Command with_rope = right(Op::kNormQkvRope).command;
  expect_right(with_rope,
               {{"no bias", both(bind(Slot::kBq, {}), both(bind(Slot::kBk, {}), bind(Slot::kBv, {})))}});
  expect_wrong(with_rope, "some of query, key and value have a bias and some have none",
               {{"no bias of k", bind(Slot::kBk, {})}, {"none of v", bind(Slot::kBv, {})}});
}

TEST(CommandCheck, WhatADeviceAdds) {
  const Command unit = make_command(Op::kGatedUnit, {at(0), at(1), at(2)}, GatedUnitParams{32});
  const DeviceRules basic{{}, as_in_a_file, [](const Command&) -> const char* { return "not here"; }};
  EXPECT_STREQ(check(unit, kRows, basic).problem, "not here");
  const Command output = make_command(Op::kNormMatMul, {}, NormMatMulParams{});
  EXPECT_STREQ(check(output, kRows, basic).problem, "this device does not offer the op");
  EXPECT_STREQ(check(make_command(static_cast<Op>(200), {}, GatedUnitParams{8})).problem,
               "this device does not offer the op");
}

TEST(CommandCheck, TellsWhatIsReadAndWritten) {
  const Command product =
      make_command(Op::kMatMul, {at(0, 64), weight(), {}, at(2)}, MatMulParams{64, 8, kF32, 1, 0});
  const CheckedCommand checked = check(product, 1);
  ASSERT_EQ(checked.accesses.size(), 4u);  // y is there twice
  EXPECT_EQ(checked.accesses[1].begin, 64u);
  EXPECT_EQ(checked.accesses[1].end, 64u + 256);
  EXPECT_FALSE(checked.accesses[2].writes);
  EXPECT_TRUE(checked.accesses[3].writes);
  EXPECT_EQ(checked.traffic.weights, 64u * 8 * 4);
  EXPECT_EQ(checked.traffic.other, 256u + 32 + 32);

  const CheckedCommand rope = check(right(Op::kRopeKvWrite).command);  // rotates q in place
  EXPECT_EQ(rope.accesses[0].buffer, rope.accesses[1].buffer);
  EXPECT_FALSE(rope.accesses[0].writes);
  EXPECT_TRUE(rope.accesses[1].writes);
}

TEST(CommandCheck, LimitsOfATableAreThoseOfAllCommands) {
  DispatchTable table;
  table.max_rows = kRows;
  using P = RopeKvWriteParams;
  const Command rope = right(Op::kRopeKvWrite).command;
  table.commands = {rope, rope, rope};
  both(not_patched(), with(&P::position, 10))(table.commands[1]);
  with(&P::context, 48)(table.commands[2]);
  const Result<ReplayLimits> limits =
      check_table(table, SomeBuffers(), {kFusedOps, as_in_a_file, refuse_nothing});
  ASSERT_TRUE(limits.ok()) << limits.error().message();
  EXPECT_EQ(limits.value().max_rows, kRows);
  EXPECT_EQ(limits.value().position_limit, 48u);
  ASSERT_EQ(limits.value().pages.size(), 2u);  // of keys and of values, each once
  EXPECT_EQ(limits.value().pages[0].fixed_positions, 14u);
  EXPECT_TRUE(limits.value().pages[0].patched);

  struct Case {
    const char* name;
    std::uint32_t position, rows, steps;
    ErrorCode code;
  };
  for (const Case& c :
       {Case{"the last rows", 44, 4, 1, ErrorCode::kOk}, Case{"the last steps", 40, 1, 8, ErrorCode::kOk},
        Case{"a row too many", 0, 5, 1, ErrorCode::kInvalidArgument},
        Case{"no rows", 0, 0, 1, ErrorCode::kInvalidArgument},
        Case{"no steps", 0, 1, 0, ErrorCode::kInvalidArgument},
        Case{"steps of rows", 0, 2, 2, ErrorCode::kInvalidArgument},
        Case{"rows past the end", 45, 4, 1, ErrorCode::kInvalidArgument},
        Case{"steps past the end", 41, 1, 8, ErrorCode::kInvalidArgument},
        Case{"far behind", kHuge, 4, 1, ErrorCode::kInvalidArgument}}) {
    SCOPED_TRACE(c.name);
    Replay request;
    request.position = c.position;
    request.rows = c.rows;
    request.steps = c.steps;
    EXPECT_EQ(check_request(limits.value(), request).code(), c.code);
  }
}

}  // namespace
}  // namespace emberline::testing
