#include "device/metal/command_checks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "launch_shapes.h"

namespace emberline::metal {
namespace {

using Access = CheckedCommand::Access;

void check_embedding(CheckedCommand& command, std::uint64_t rows, ReplayLimits& limits) {
  const auto params = command.params<EmbeddingParams>();
  using Slot = slot::Embedding;
  command.reads_weight_rows(Slot::kTable, params.weight_type, params.vocabulary, params.width, rows);
  const bool patched = command.patch(Patch::kTokenOffset, offsetof(EmbeddingParams, position));
  if (!command.ok()) return;
  const std::uint32_t position = patched ? 0 : params.position;
  command.reads(Slot::kTokens, position + rows);
  command.writes(Slot::kOut, rows * params.width);
  if (!command.ok()) return;
  if (patched) limits.limit_positions(command.capacity(Slot::kTokens));
  limits.tokens.push_back({command.binding(Slot::kTokens), params.vocabulary, patched, position});
}

void check_rms_norm(CheckedCommand& command, std::uint64_t rows) {
  const auto params = command.params<RmsNormParams>();
  using Slot = slot::RmsNorm;
  command.no_patch();
  command.epsilon(params.epsilon);
  if (!command.extent(params.width)) return;
  command.reads(Slot::kX, rows * params.width);
  command.reads(Slot::kGain, params.width);
  command.writes(Slot::kOut, rows * params.width);
}

void check_gated_unit(CheckedCommand& command, std::uint64_t rows) {
  const auto params = command.params<GatedUnitParams>();
  using Slot = slot::GatedUnit;
  command.no_patch();
  command.gate_activation(params.activation);
  if (!command.extent(params.width)) return;
  command.reads(Slot::kGate, rows * params.width);
  command.reads(Slot::kUp, rows * params.width);
  command.writes(Slot::kOut, rows * params.width);
}

void check_mat_mul(CheckedCommand& command, std::uint64_t rows) {
  const auto params = command.params<MatMulParams>();
  using Slot = slot::MatMul;
  command.no_patch();
  command.flag(params.accumulate);
  command.flag(params.last_row_only);
  command.flag(params.fine_activations);
  command.reads_weight(Slot::kWeight, params.weight_type, params.out, params.in);
  if (!command.ok()) return;
  const std::uint64_t out_count = (params.last_row_only != 0 ? 1 : rows) * params.out;
  command.reads(Slot::kX, rows * params.in);
  command.may_read(Slot::kBias, params.out);
  if (params.accumulate != 0) command.reads(Slot::kY, out_count);
  command.writes(Slot::kY, out_count);
  command.apart(Slot::kX, rows * params.in, Slot::kY, out_count);
}

void check_norm_mat_mul(CheckedCommand& command, std::uint64_t rows) {
  const auto params = command.params<NormMatMulParams>();
  using Slot = slot::NormMatMul;
  command.no_patch();
  command.epsilon(params.epsilon);
  command.flag(params.last_row_only);
  command.flag(params.fine_activations);
  command.reads_weight(Slot::kWeight, params.weight_type, params.out, params.width);
  if (!command.ok()) return;
  const std::uint64_t out_count = (params.last_row_only != 0 ? 1 : rows) * params.out;
  command.reads(Slot::kX, rows * params.width);
  command.reads(Slot::kGain, params.width);
  command.writes(Slot::kY, out_count);
  command.apart(Slot::kX, rows * params.width, Slot::kY, out_count);
}

void check_norm_gate_up(CheckedCommand& command, std::uint64_t rows) {
  const auto params = command.params<NormGateUpParams>();
  using Slot = slot::NormGateUp;
  command.no_patch();
  command.epsilon(params.epsilon);
  command.gate_activation(params.activation);
  command.reads_weight(Slot::kWGate, params.gate_type, params.hidden, params.width);
  command.reads_weight(Slot::kWUp, params.up_type, params.hidden, params.width);
  if (!command.ok()) return;
  command.reads(Slot::kX, rows * params.width);
  command.reads(Slot::kGain, params.width);
  command.writes(Slot::kOut, rows * params.hidden);
  command.apart(Slot::kX, rows * params.width, Slot::kOut, rows * params.hidden);
}

// -- attention and the KV cache

struct Heads {
  std::uint64_t query_width, kv_width;
};

template <typename Params>
Heads check_heads(CheckedCommand& command, const Params& params) {
  if (!command.extent(params.query_heads) || !command.extent(params.kv_heads) ||
      !command.extent(params.head_width) || !command.extent(params.context) ||
      !command.extent(std::uint64_t{params.query_heads} * params.head_width)) {
    return {};
  }
  command.require(params.query_heads % params.kv_heads == 0,
                  "the query heads are no multiple of the key/value heads");
  command.require(params.head_width % 2 == 0, "the head width is odd");
  return {std::uint64_t{params.query_heads} * params.head_width,
          std::uint64_t{params.kv_heads} * params.head_width};
}

template <typename Params>
void check_rotation(CheckedCommand& command, const Params& params) {
  command.require(params.rotary_width <= params.head_width && params.rotary_width % 2 == 0,
                  "the rotary width is odd or wider than a head");
  command.require(params.style <= 1, "there is no such rotary style");
  command.require(std::isfinite(params.theta) && params.theta > 0.0f, "the rotary base is not positive");
}

void add_page_source(const CheckedCommand& command, int cache_slot, int pages_slot, std::uint32_t page_stride,
                     std::uint64_t page, std::uint64_t fixed_positions, bool patched, ReplayLimits& limits) {
  const Binding &cache = command.binding(cache_slot), &pages = command.binding(pages_slot);
  const std::uint64_t page_end = cache.offset + page;
  for (PageSource& source : limits.pages) {
    if (source.pages.buffer == pages.buffer && source.pages.offset == pages.offset &&
        source.cache == cache.buffer && source.page_stride == page_stride) {
      source.page_end = std::max(source.page_end, page_end);
      source.fixed_positions = std::max(source.fixed_positions, fixed_positions);
      source.patched = source.patched || patched;
      return;
    }
  }
  limits.pages.push_back({pages, cache.buffer, page_stride, page_end, fixed_positions, patched});
}

// `patched`: the position is the submission's.
template <typename Slot, typename Params>
void check_cache(CheckedCommand& command, const Params& params, std::uint64_t rows, bool patched,
                 Access access, ReplayLimits& limits) {
  const std::uint64_t page = kv_page_bytes(params.kv_heads, params.head_width);
  command.require(params.page_stride >= page && params.page_stride % 4 == 0,
                  "the pages of the cache overlap or are not aligned");
  command.require(patched || std::uint64_t{params.position} + rows <= params.context,
                  "the position is outside the cache");
  command.uses_cache(Slot::kKeyCache, page, access);
  command.uses_cache(Slot::kValueCache, page, access);
  command.reads(Slot::kPages, kv_page_count(params.context));
  if (!command.ok()) return;
  const std::uint64_t fixed_end = patched ? 0 : params.position + rows;
  if (patched) limits.limit_positions(params.context);
  add_page_source(command, Slot::kKeyCache, Slot::kPages, params.page_stride, page, fixed_end, patched,
                  limits);
  add_page_source(command, Slot::kValueCache, Slot::kPages, params.page_stride, page, fixed_end, patched,
                  limits);
}

void check_rope_kv_write(CheckedCommand& command, std::uint64_t rows, ReplayLimits& limits) {
  const auto params = command.params<RopeKvWriteParams>();
  using Slot = slot::RopeKvWrite;
  const bool patched = command.patch(Patch::kPosition, offsetof(RopeKvWriteParams, position));
  const Heads heads = check_heads(command, params);
  check_rotation(command, params);
  if (!command.ok()) return;
  command.reads(Slot::kQ, rows * heads.query_width);
  command.writes(Slot::kQ, rows * heads.query_width);
  command.reads(Slot::kK, rows * heads.kv_width);
  command.reads(Slot::kV, rows * heads.kv_width);
  check_cache<Slot>(command, params, rows, patched, Access::kWrite, limits);
}

void check_norm_qkv_rope(CheckedCommand& command, std::uint64_t rows, ReplayLimits& limits) {
  const auto params = command.params<NormQkvRopeParams>();
  using Slot = slot::NormQkvRope;
  const bool patched = command.patch(Patch::kPosition, offsetof(NormQkvRopeParams, position));
  command.epsilon(params.epsilon);
  const Heads heads = check_heads(command, params);
  check_rotation(command, params);
  if (!command.ok()) return;
  const auto q_out = static_cast<std::uint32_t>(heads.query_width),
             kv_out = static_cast<std::uint32_t>(heads.kv_width);
  command.reads_weight(Slot::kWq, params.weight_type, q_out, params.width);
  command.reads_weight(Slot::kWk, params.weight_type, kv_out, params.width);
  command.reads_weight(Slot::kWv, params.weight_type, kv_out, params.width);
  if (!command.ok()) return;
  command.require(command.is_bound(Slot::kBq) == command.is_bound(Slot::kBk) &&
                      command.is_bound(Slot::kBq) == command.is_bound(Slot::kBv),
                  "some of query, key and value have a bias and some have none");
  command.reads(Slot::kX, rows * params.width);
  command.reads(Slot::kGain, params.width);
  command.may_read(Slot::kBq, q_out);
  command.may_read(Slot::kBk, kv_out);
  command.may_read(Slot::kBv, kv_out);
  command.writes(Slot::kQ, rows * heads.query_width);
  command.apart(Slot::kX, rows * params.width, Slot::kQ, rows * heads.query_width);
  check_cache<Slot>(command, params, rows, patched, Access::kWrite, limits);
}

void check_attention(CheckedCommand& command, std::uint64_t rows, ReplayLimits& limits) {
  const auto params = command.params<AttentionParams>();
  using Slot = slot::Attention;
  const bool patched = command.patch(Patch::kPositionAndKv, offsetof(AttentionParams, position),
                                     offsetof(AttentionParams, kv_length));
  const Heads heads = check_heads(command, params);
  command.require(params.head_width % 8 == 0 && params.head_width <= 256,
                  "the head width is no multiple of 8 up to 256");
  command.require(std::isfinite(params.scale), "the scale is not finite");
  if (!command.ok()) return;
  command.reads(Slot::kQ, rows * heads.query_width);
  command.writes(Slot::kOut, rows * heads.query_width);
  command.apart(Slot::kQ, rows * heads.query_width, Slot::kOut, rows * heads.query_width);
  check_cache<Slot>(command, params, rows, patched, Access::kRead, limits);
}

// -- the choice of a token

void check_gumbel(CheckedCommand& command, std::uint64_t rows, ReplayLimits& limits) {
  const auto params = command.params<GumbelParams>();
  using Slot = slot::Gumbel;
  const bool patched = command.patch(Patch::kPosition, offsetof(GumbelParams, position));
  command.require(rows == 1, "a sampler takes one row");
  command.require(params.vocabulary <= kGumbelMaxVocabulary, "the vocabulary is too large for the sampler");
  if (!command.extent(params.vocabulary)) return;
  command.reads(Slot::kLogits, params.vocabulary);
  command.reads(Slot::kTokens, patched ? 1 : std::uint64_t{params.position} + 1);
  command.reads(Slot::kSampling, sizeof(SamplingBlock) / 4);
  command.writes(Slot::kScores, params.vocabulary);
  command.writes(Slot::kNormalizer, 1);
  command.apart(Slot::kLogits, params.vocabulary, Slot::kScores, params.vocabulary);
  if (command.ok() && patched) limits.limit_positions(command.capacity(Slot::kTokens));
}

void check_argmax(CheckedCommand& command, std::uint64_t rows, ReplayLimits& limits) {
  const auto params = command.params<ArgmaxParams>();
  using Slot = slot::Argmax;
  const bool patched = command.patch(Patch::kArgmaxOutput, offsetof(ArgmaxParams, position));
  command.flag(params.last_row_only);
  if (!command.extent(params.vocabulary)) return;
  const std::uint64_t scanned = params.last_row_only != 0 ? 1 : rows;
  const std::uint64_t end = (patched ? 0 : std::uint64_t{params.position}) + scanned + 1;
  command.reads(Slot::kLogits, scanned * params.vocabulary);
  command.writes(Slot::kTokens, end);
  command.writes(Slot::kLogProbs, end);
  command.require(command.is_bound(Slot::kRawLogits) == command.is_bound(Slot::kNormalizer),
                  "raw logits come without their normalizer");
  command.may_read(Slot::kRawLogits, params.vocabulary);
  command.may_read(Slot::kNormalizer, 1);
  command.require(!command.is_bound(Slot::kRawLogits) || rows == 1, "a sampler takes one row");
  if (!command.ok() || !patched) return;
  limits.limit_positions(command.capacity(Slot::kTokens) - 1);
  limits.limit_positions(command.capacity(Slot::kLogProbs) - 1);
}

// -- requests

bool tokens_are_known(const TokenSource& source, const Replay& request, const HostWords& words) {
  const std::uint64_t first = source.patched ? request.position : source.position;
  for (std::uint64_t row = 0; row < request.rows; ++row) {
    if (words.word(source.tokens.buffer, source.tokens.offset + 4 * (first + row)) >= source.vocabulary)
      return false;
  }
  return true;
}

bool pages_are_usable(const PageSource& source, std::uint64_t positions, const BufferExtents& buffers,
                      const HostWords& words) {
  const std::uint64_t usable = buffers.extent(source.cache).usable;
  const std::uint64_t used = std::max(source.patched ? positions : 0, source.fixed_positions);
  const std::uint32_t pages = kv_page_count(static_cast<std::uint32_t>(used));
  for (std::uint64_t i = 0; i < pages; ++i) {
    const std::uint64_t page = words.word(source.pages.buffer, source.pages.offset + 4 * i);
    if (page * source.page_stride + source.page_end > usable) return false;
  }
  return true;
}

}  // namespace

void ReplayLimits::limit_positions(std::uint64_t capacity) {
  position_limit = std::min(position_limit, capacity);
}

void check_command(CheckedCommand& command, std::uint64_t rows, ReplayLimits& limits) {
  switch (command.op()) {
    case Op::kEmbedding: return check_embedding(command, rows, limits);
    case Op::kRmsNorm: return check_rms_norm(command, rows);
    case Op::kMatMul: return check_mat_mul(command, rows);
    case Op::kRopeKvWrite: return check_rope_kv_write(command, rows, limits);
    case Op::kAttention: return check_attention(command, rows, limits);
    case Op::kGatedUnit: return check_gated_unit(command, rows);
    case Op::kArgmax: return check_argmax(command, rows, limits);
    case Op::kNormGateUp: return check_norm_gate_up(command, rows);
    case Op::kNormMatMul: return check_norm_mat_mul(command, rows);
    case Op::kNormQkvRope: return check_norm_qkv_rope(command, rows, limits);
    case Op::kGumbel: return check_gumbel(command, rows, limits);
    case Op::kNormQkv:
    case Op::kNormArgmax:
    case Op::kRopeAttention: return command.fail("this device does not offer the op");
  }
  command.fail("there is no such op");
}

Status check_request(const ReplayLimits& limits, std::uint32_t max_rows, const Replay& request,
                     const BufferExtents& buffers, const HostWords& words) {
  if (request.rows < 1 || request.rows > max_rows) {
    return Status(ErrorCode::kInvalidArgument, "The batch does not fit the dispatch table.");
  }
  if (request.steps < 1 || (request.steps > 1 && request.rows != 1)) {
    return Status(ErrorCode::kInvalidArgument, "A chain must have at least one step and one row a step.");
  }
  const std::uint64_t positions = std::uint64_t{request.position} + request.rows + request.steps - 1;
  if (positions > limits.position_limit) {
    return Status(ErrorCode::kInvalidArgument, "The batch reaches past the end of the context.");
  }
  for (const TokenSource& source : limits.tokens) {
    if (!request.continues && !tokens_are_known(source, request, words))
      return Status(ErrorCode::kInvalidArgument, "A token is outside the model's vocabulary.");
  }
  for (const PageSource& source : limits.pages) {
    if (!pages_are_usable(source, positions, buffers, words)) {
      return Status(ErrorCode::kDeviceFailed, "A page of the KV cache lies outside it; please report this.");
    }
  }
  return Status();
}

}  // namespace emberline::metal
