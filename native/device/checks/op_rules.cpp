// The rules of each op, in the order of ops.h: shapes are those of its parameter block there.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "device/checks/command_reader.h"
#include "device/visit_params.h"

namespace emberline {
namespace {

using Access = CommandReader::Access;

constexpr const char* kWrongCap = "the soft cap is not a positive number";

// -- parts of several ops

// x[R, P*D] and gain[D].
template <typename Slot, typename Params>
void check_norm(CommandReader& command, const Params& p, std::uint64_t parts = 1) {
  command.epsilon(p.epsilon);
  for (const std::uint64_t extent : {parts, std::uint64_t{p.width}, parts * p.width}) command.extent(extent);
  command.reads(Slot::kX, command.rows() * parts * p.width);
  command.reads(Slot::kGain, p.width);
}

// What an argmax over so many rows writes.
template <typename Slot, typename Params>
void check_choice(CommandReader& command, const Params& p, std::uint64_t rows) {
  const bool patched = command.patch(Patch::kArgmaxOutput);
  const std::uint64_t end = (patched ? 0 : p.position) + rows + 1;
  for (const int slot : {Slot::kTokens, Slot::kLogProbs}) {
    command.writes(slot, end);
    if (command.ok() && patched) command.limits().limit_positions(command.capacity(slot) - 1);
  }
}

struct HeadWidths {
  std::uint64_t query, kv;  // H*d, G*d
};

template <typename Params>
HeadWidths check_heads(CommandReader& command, const Params& p) {
  const HeadWidths widths{std::uint64_t{p.query_heads} * p.head_width,
                          std::uint64_t{p.kv_heads} * p.head_width};
  for (const std::uint64_t extent : {std::uint64_t{p.query_heads}, std::uint64_t{p.kv_heads},
                                     std::uint64_t{p.head_width}, std::uint64_t{p.context}, widths.query}) {
    command.extent(extent);
  }
  command.require(command.ok() && p.query_heads % p.kv_heads == 0,
                  "the query heads are no multiple of the key/value heads");
  return widths;
}

template <typename Params>
void check_rotation(CommandReader& command, const Params& p) {
  command.require(p.rotary_width <= p.head_width && p.rotary_width % 2 == 0,
                  "the rotary width is odd or wider than a head");
  command.require(p.style <= 1, "there is no such rotary style");
  command.require(std::isfinite(p.theta) && p.theta > 0.0f, "the rotary base is not positive");
}

// `patched`: the position is the submission's.
template <typename Slot, typename Params>
void check_cache(CommandReader& command, const Params& p, std::uint32_t cache_type, bool patched,
                 Access access) {
  command.require(cache_type < kKvTypes, "there is no such type of a cache");
  const std::uint64_t page = kv_page_bytes(p.kv_heads, p.head_width, cache_type);
  const std::uint64_t end = p.position + command.rows();
  command.require(p.page_stride >= page && p.page_stride % 2 == 0,
                  "the pages of the cache overlap or are not aligned");
  command.require(patched || end <= p.context, "the position is outside the cache");
  command.cache(Slot::kKeyCache, page, access);
  command.cache(Slot::kValueCache, page, access);
  command.reads(Slot::kPages, kv_page_count(p.context));
  if (!command.ok()) return;
  ReplayLimits limits;
  if (patched) limits.limit_positions(p.context);
  for (const int slot : {Slot::kKeyCache, Slot::kValueCache}) {
    const Binding& cache = command.binding(slot);
    limits.pages.push_back({command.binding(Slot::kPages), cache.buffer, p.page_stride, cache.offset + page,
                            patched ? 0 : end, patched});
  }
  command.limits().add(limits);
}

template <typename Slot, typename Params>
void check_attended(CommandReader& command, const HeadWidths& widths, const Params& p) {
  command.require(std::isfinite(p.scale), "the scale is not finite");
  command.require(std::isfinite(p.soft_cap) && p.soft_cap >= 0.0f, kWrongCap);
  command.reads(Slot::kQ, command.rows() * widths.query);
  command.writes(Slot::kOut, command.rows() * widths.query);
  command.apart(Slot::kQ, Slot::kOut);
}

// -- basic ops

void check_op(CommandReader& command, const EmbeddingParams& p) {
  using Slot = slot::Embedding;
  const bool patched = command.patch(Patch::kTokenOffset);
  const std::uint32_t position = patched ? 0 : p.position;
  command.require(std::isfinite(p.scale), "the scale is not finite");
  command.weight_rows(Slot::kTable, p.weight_type, p.vocabulary, p.width, command.rows());
  command.reads(Slot::kTokens, position + command.rows());
  command.writes(Slot::kOut, command.rows() * p.width);
  if (!command.ok()) return;
  if (patched) command.limits().limit_positions(command.capacity(Slot::kTokens));
  command.limits().tokens.push_back({command.binding(Slot::kTokens), p.vocabulary, patched, position});
}

void check_op(CommandReader& command, const RmsNormParams& p) {
  using Slot = slot::RmsNorm;
  command.no_patch();
  for (const std::uint32_t flag : {p.accumulate, p.centered}) command.flag(flag);
  check_norm<Slot>(command, p, p.parts);
  command.may_read(Slot::kBias, p.width);
  const bool has_addend = command.is_bound(Slot::kAddend);
  command.require(p.accumulate != 0 || !has_addend, "there is an addend and nothing is added");
  if (p.accumulate != 0)
    command.reads(has_addend ? Slot::kAddend : Slot::kOut, command.rows() * p.parts * p.width);
  command.writes(Slot::kOut, command.rows() * p.parts * p.width);
}

void check_op(CommandReader& command, const MatMulParams& p) {
  using Slot = slot::MatMul;
  const std::uint64_t out_rows = p.last_row_only != 0 ? 1 : command.rows();
  command.no_patch();
  for (const std::uint32_t flag : {p.accumulate, p.last_row_only, p.fine_activations}) command.flag(flag);
  command.weight(Slot::kWeight, p.weight_type, p.out, p.in);
  command.reads(Slot::kX, command.rows() * p.in);
  command.may_read(Slot::kBias, p.out);
  if (p.accumulate != 0) command.reads(Slot::kY, out_rows * p.out);
  command.writes(Slot::kY, out_rows * p.out);
  command.apart(Slot::kX, Slot::kY);
}

template <typename Slot, typename Params>
HeadWidths check_rope_kv_write(CommandReader& command, const Params& p, std::uint32_t cache_type) {
  const bool patched = command.patch(Patch::kPosition);
  const HeadWidths widths = check_heads(command, p);
  check_rotation(command, p);
  command.reads(Slot::kQ, command.rows() * widths.query);
  command.writes(Slot::kQ, command.rows() * widths.query);
  for (const int slot : {Slot::kK, Slot::kV}) command.reads(slot, command.rows() * widths.kv);
  command.may_read(Slot::kFactors, p.rotary_width / 2);
  check_cache<Slot>(command, p, cache_type, patched, Access::kWrite);
  return widths;
}

void check_op(CommandReader& command, const RopeKvWriteParams& p) {
  check_rope_kv_write<slot::RopeKvWrite>(command, p, p.cache_type);
}

void check_op(CommandReader& command, const AttentionParams& p) {
  using Slot = slot::Attention;
  const bool patched = command.patch(Patch::kPosition);
  check_attended<Slot>(command, check_heads(command, p), p);
  check_cache<Slot>(command, p, p.cache_type, patched, Access::kRead);
}

void check_op(CommandReader& command, const GatedUnitParams& p) {
  using Slot = slot::GatedUnit;
  command.no_patch();
  command.gate_activation(p.activation);
  command.extent(p.width);
  command.reads(Slot::kGate, command.rows() * p.width);
  command.may_read(Slot::kUp, command.rows() * p.width);
  command.writes(Slot::kOut, command.rows() * p.width);
}

void check_op(CommandReader& command, const ArgmaxParams& p) {
  using Slot = slot::Argmax;
  const std::uint64_t rows = p.last_row_only != 0 ? 1 : command.rows();
  command.flag(p.last_row_only);
  command.extent(p.vocabulary);
  command.reads(Slot::kLogits, rows * p.vocabulary);
  check_choice<Slot>(command, p, rows);
  command.require(command.is_bound(Slot::kRawLogits) == command.is_bound(Slot::kNormalizer),
                  "raw logits come without their normalizer");
  command.require(!command.is_bound(Slot::kRawLogits) || command.rows() == 1, "a sampler takes one row");
  command.may_read(Slot::kRawLogits, p.vocabulary);
  command.may_read(Slot::kNormalizer, 1);
}

void check_op(CommandReader& command, const SoftCapParams& p) {
  using Slot = slot::SoftCap;
  const std::uint64_t rows = p.last_row_only != 0 ? 1 : command.rows();
  command.no_patch();
  command.flag(p.last_row_only);
  command.extent(p.width);
  command.require(std::isfinite(p.cap) && p.cap > 0.0f, kWrongCap);
  command.reads(Slot::kX, rows * p.width);
  command.writes(Slot::kX, rows * p.width);
}

// -- fused ops

template <typename Slot>
void check_norm_qkv(CommandReader& command, const NormQkvParams& p) {
  command.no_patch();
  command.flag(p.fine_activations);
  check_norm<Slot>(command, p);
  const std::uint32_t types[] = {p.q_type, p.k_type, p.v_type};
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t out = i == 0 ? p.q_out : p.kv_out;
    command.weight(Slot::kWq + i, types[i], out, p.width);
    command.may_read(Slot::kBq + i, out);
    command.writes(Slot::kQ + i, command.rows() * out);
    command.apart(Slot::kX, Slot::kQ + i);
  }
}

template <typename Slot>
void check_norm_gate_up(CommandReader& command, const NormGateUpParams& p) {
  command.no_patch();
  command.gate_activation(p.activation);
  check_norm<Slot>(command, p);
  command.weight(Slot::kWGate, p.gate_type, p.hidden, p.width);
  command.weight(Slot::kWUp, p.up_type, p.hidden, p.width);
  command.writes(Slot::kOut, command.rows() * p.hidden);
  command.apart(Slot::kX, Slot::kOut);
}

// What is added in front of the norm. `outputs`: the other slots that are written.
template <typename Slot>
void check_added(CommandReader& command, std::uint32_t width, std::initializer_list<int> outputs) {
  command.reads(Slot::kAdded, command.rows() * width);
  command.reads(Slot::kAddedGain, width);
  command.writes(Slot::kSum, command.rows() * width);
  for (const int input : {int{Slot::kX}, int{Slot::kAdded}, int{Slot::kGain}, int{Slot::kAddedGain}})
    command.apart(input, Slot::kSum);
  for (const int output : outputs) {
    command.apart(Slot::kAdded, output);
    command.apart(Slot::kSum, output);
  }
}

void check_op(CommandReader& command, const NormQkvParams& p) {
  check_norm_qkv<slot::NormQkv>(command, p);
}

void check_op(CommandReader& command, const NormGateUpParams& p) {
  check_norm_gate_up<slot::NormGateUp>(command, p);
}

void check_op(CommandReader& command, const AddNormQkvParams& p) {
  using Slot = slot::AddNormQkv;
  check_norm_qkv<Slot>(command, p.norm);
  check_added<Slot>(command, p.norm.width, {Slot::kQ, Slot::kK, Slot::kV});
}

void check_op(CommandReader& command, const AddNormGateUpParams& p) {
  using Slot = slot::AddNormGateUp;
  check_norm_gate_up<Slot>(command, p.norm);
  check_added<Slot>(command, p.norm.width, {Slot::kOut});
}

void check_op(CommandReader& command, const NormMatMulParams& p) {
  using Slot = slot::NormMatMul;
  command.no_patch();
  for (const std::uint32_t flag : {p.last_row_only, p.fine_activations}) command.flag(flag);
  check_norm<Slot>(command, p);
  command.weight(Slot::kWeight, p.weight_type, p.out, p.width);
  command.writes(Slot::kY, (p.last_row_only != 0 ? 1 : command.rows()) * p.out);
  command.apart(Slot::kX, Slot::kY);
}

void check_op(CommandReader& command, const NormArgmaxParams& p) {
  using Slot = slot::NormArgmax;
  command.flag(p.fine_activations);
  check_norm<Slot>(command, p);
  command.weight(Slot::kWeight, p.weight_type, p.vocabulary, p.width);
  check_choice<Slot>(command, p, command.rows());
}

void check_op(CommandReader& command, const RopeAttentionParams& p) {
  using Slot = slot::RopeAttention;
  const bool patched = command.patch(Patch::kPosition);
  const HeadWidths widths = check_heads(command, p);
  check_rotation(command, p);
  check_attended<Slot>(command, widths, p);
  for (const int slot : {Slot::kK, Slot::kV}) {
    command.reads(slot, command.rows() * widths.kv);
    command.apart(slot, Slot::kOut);
  }
  command.may_read(Slot::kFactors, p.rotary_width / 2);
  check_cache<Slot>(command, p, p.cache_type, patched, Access::kWrite);
  check_cache<Slot>(command, p, p.cache_type, patched, Access::kRead);
}

void check_op(CommandReader& command, const NormQkvRopeParams& p) {
  using Slot = slot::NormQkvRope;
  const bool patched = command.patch(Patch::kPosition);
  const HeadWidths widths = check_heads(command, p);
  check_rotation(command, p);
  check_norm<Slot>(command, p);
  for (int i = 0; i < 3; ++i) {
    const auto out = static_cast<std::uint32_t>(i == 0 ? widths.query : widths.kv);
    command.require(command.is_bound(Slot::kBq + i) == command.is_bound(Slot::kBq),
                    "some of query, key and value have a bias and some have none");
    command.weight(Slot::kWq + i, i == 0 ? p.q_type : i == 1 ? p.k_type : p.v_type, out, p.width);
    command.may_read(Slot::kBq + i, out);
  }
  command.may_read(Slot::kFactors, p.rotary_width / 2);
  command.writes(Slot::kQ, command.rows() * widths.query);
  command.apart(Slot::kX, Slot::kQ);
  check_cache<Slot>(command, p, kKvF16, patched, Access::kWrite);
}

void check_op(CommandReader& command, const QkNormRopeParams& p) {
  using Slot = slot::QkNormRope;
  const HeadWidths widths = check_rope_kv_write<Slot>(command, p, kKvF16);
  command.epsilon(p.epsilon);
  for (const auto& [part, width] : {std::pair{p.query_part, widths.query}, {p.key_part, widths.kv}}) {
    command.extent(part);
    command.require(command.ok() && width % part == 0 && part % p.head_width == 0,
                    "what is normed together is no whole number of heads");
  }
  command.reads(Slot::kQueryGain, p.query_part);
  command.reads(Slot::kKeyGain, p.key_part);
}

void check_op(CommandReader& command, const GumbelParams& p) {
  using Slot = slot::Gumbel;
  const bool patched = command.patch(Patch::kPosition);
  command.require(command.rows() == 1, "a sampler takes one row");
  command.extent(p.vocabulary);
  command.reads(Slot::kLogits, p.vocabulary);
  command.reads(Slot::kTokens, patched ? 1 : std::uint64_t{p.position} + 1);
  command.reads(Slot::kSampling, sizeof(SamplingBlock) / 4);
  command.writes(Slot::kScores, p.vocabulary);
  command.writes(Slot::kNormalizer, 1);
  command.apart(Slot::kLogits, Slot::kScores);
  if (command.ok() && patched) command.limits().limit_positions(command.capacity(Slot::kTokens));
}

// Only what is read of the experts is traffic: at most one for each row and choice.
void check_op(CommandReader& command, const ExpertsParams& p) {
  using Slot = slot::Experts;
  command.no_patch();
  command.gate_activation(p.activation);
  command.require(p.weighting < kExpertWeightings, "there is no such weighting of experts");
  command.require(std::isfinite(p.scale), "the scale is not finite");
  const std::uint64_t all_hidden = std::uint64_t{p.experts} * p.hidden,
                      all_width = std::uint64_t{p.experts} * p.width;
  for (const std::uint64_t extent :
       {std::uint64_t{p.width}, std::uint64_t{p.hidden}, std::uint64_t{p.experts}, std::uint64_t{p.used},
        all_hidden, all_width}) {
    command.extent(extent);
  }
  command.require(p.used <= p.experts, "more experts are used than there are");
  const std::uint64_t read = std::min<std::uint64_t>(p.experts, command.rows() * p.used);
  const auto gate_rows = static_cast<std::uint32_t>(all_hidden),
             down_rows = static_cast<std::uint32_t>(all_width);
  command.weight_rows(Slot::kWGate, p.gate_type, gate_rows, p.width, read * p.hidden);
  command.weight_rows(Slot::kWUp, p.up_type, gate_rows, p.width, read * p.hidden);
  command.weight_rows(Slot::kWDown, p.down_type, down_rows, p.hidden, read * p.width);
  command.reads(Slot::kX, command.rows() * p.width);
  command.reads(Slot::kLogits, command.rows() * p.experts);
  command.writes(Slot::kHidden, command.rows() * p.used * p.hidden);
  command.reads(Slot::kOut, command.rows() * p.width);
  command.writes(Slot::kOut, command.rows() * p.width);
  for (const int input : {Slot::kX, Slot::kLogits, Slot::kHidden}) command.apart(input, Slot::kOut);
  for (const int input : {Slot::kX, Slot::kLogits}) command.apart(input, Slot::kHidden);
}

}  // namespace

CheckedCommand check_command(const Command& command, std::uint32_t rows, const BufferExtents& buffers,
                             const DeviceRules& rules) {
  CommandReader reader(command, rows, buffers, rules);
  reader.require(rules.offers(command.op), "this device does not offer the op");
  visit_params(command, [&](const auto& params) { check_op(reader, params); });
  const char* refusal = reader.ok() ? rules.refuse(command) : nullptr;
  reader.require(refusal == nullptr, refusal);
  return std::move(reader).take();
}

}  // namespace emberline
