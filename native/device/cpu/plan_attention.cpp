#include <algorithm>
#include <cmath>
#include <cstddef>

#include "device/cpu/plan_draft.h"

namespace emberline {
namespace {

using Access = CheckedCommand::Access;

// `Params` is a RopeKvWriteParams, an AttentionParams or a RopeAttentionParams; false when the shape is
// wrong.
template <typename Params>
bool check_heads(CheckedCommand& command, const Params& params) {
  if (!command.extent(params.query_heads) || !command.extent(params.kv_heads) ||
      !command.extent(params.head_width) || !command.extent(params.context) ||
      !command.extent(std::uint64_t{params.query_heads} * params.head_width)) {
    return false;
  }
  command.require(params.query_heads % params.kv_heads == 0,
                  "the query heads are no multiple of the key/value heads");
  return command.ok();
}

template <typename Params>
HeadShape head_shape(const Params& params, bool from_step) {
  return {params.query_heads, params.kv_heads, params.head_width, from_step, params.position};
}

void limit_position(CheckedCommand& command, PlanDraft& draft, bool from_step, std::uint32_t position,
                    std::uint32_t context) {
  if (from_step) {
    draft.plan.position_limit = std::min<std::uint64_t>(draft.plan.position_limit, context);
  } else {
    command.require(std::uint64_t{position} + draft.rows <= context, "the position is outside the cache");
  }
}

// The keys or values of a cache: page 0, and the pages behind it as the buffer grows.
KvPlane plane(CheckedCommand& command, int slot, std::uint64_t page_bytes, Access access) {
  KvPlane plane;
  plane.data =
      command.bytes(slot, page_bytes, sizeof(std::uint16_t), access, CheckedCommand::Room::kAsItGrows);
  plane.end = command.binding(slot).offset + page_bytes;
  plane.usable = command.view(slot).usable;
  return plane;
}

// Ids of the pages that `plane` may come to hold lie below this.
std::uint32_t page_limit(const CheckedCommand& command, int slot, const KvPlane& plane,
                         std::uint32_t page_stride) {
  const std::uint64_t rest = command.view(slot).most - plane.end;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(rest / page_stride, kMaxExtent)) + 1;
}

// Which of its pages a table names is checked as it is read.
template <typename Slot, typename Params>
KvPages cache(CheckedCommand& command, const Params& params, Access access) {
  const std::uint64_t page = kv_page_bytes(params.kv_heads, params.head_width);
  command.require(params.page_stride >= page && params.page_stride % sizeof(std::uint16_t) == 0,
                  "the pages of the cache overlap or are not aligned");
  KvPages pages;
  pages.head_width = params.head_width;
  pages.page_stride = params.page_stride;
  pages.keys = plane(command, Slot::kKeyCache, page, access);
  pages.values = plane(command, Slot::kValueCache, page, access);
  pages.table = command.words(Slot::kPages, kv_page_count(params.context));
  if (!command.ok()) return pages;
  pages.pages = std::min(page_limit(command, Slot::kKeyCache, pages.keys, params.page_stride),
                         page_limit(command, Slot::kValueCache, pages.values, params.page_stride));
  return pages;
}

// Those of an earlier command where it has the same.
const RopeAngleStage* find_angles(PlanDraft& draft, float theta, std::uint32_t rotary_width,
                                  const HeadShape& heads) {
  const std::uint32_t position = heads.position_from_step ? 0 : heads.position;
  for (const auto& stage : draft.angles) {
    if (stage->theta == theta && stage->rotary_width == rotary_width &&
        stage->position_from_step == heads.position_from_step && stage->position == position) {
      return stage.get();
    }
  }
  auto stage = std::make_unique<RopeAngleStage>();
  stage->rotary_width = rotary_width;
  stage->theta = theta;
  stage->position_from_step = heads.position_from_step;
  stage->position = position;
  for (std::uint32_t i = 0; i < rotary_width / 2; ++i) {
    stage->frequencies.push_back(std::pow(double{theta}, -2.0 * i / rotary_width));
  }
  stage->angles = std::make_unique<float[]>(draft.rows * rotary_width);
  draft.angles.push_back(std::move(stage));
  return draft.angles.back().get();
}

template <typename Params>
Rotation rotation(CheckedCommand& command, PlanDraft& draft, const Params& params, const HeadShape& heads) {
  command.require(params.rotary_width <= params.head_width && params.rotary_width % 2 == 0,
                  "the rotary width is odd or wider than a head");
  command.require(params.style <= 1, "there is no such rotary style");
  command.require(std::isfinite(params.theta) && params.theta > 0.0f, "the rotary base is not positive");
  if (!command.ok()) return {};
  return {find_angles(draft, params.theta, params.rotary_width, heads), params.style, params.head_width};
}

void need_attention(PlanDraft& draft, const AttentionNeeds& needs) {
  draft.plan.needs.attention = larger(draft.plan.needs.attention, needs);
}

template <typename Slot, typename Params>
RopeStage& add_rope_stage(CheckedCommand& command, PlanDraft& draft, const Params& params,
                          const HeadShape& heads) {
  auto& stage = draft.add_stage<RopeStage>();
  stage.rows.kernels = &draft.kernels;
  stage.rows.heads = heads;
  stage.rows.rotation = rotation(command, draft, params, heads);
  stage.rows.k = command.floats(Slot::kK, draft.rows * heads.kv_width());
  stage.rows.v = command.floats(Slot::kV, draft.rows * heads.kv_width());
  stage.rows.cache = cache<Slot>(command, params, Access::kWrite);
  need_attention(draft, AttentionStage::needs(heads, params.context, draft.rows));
  return stage;
}

template <typename Slot, typename Params>
AttentionStage& add_attention_stage(CheckedCommand& command, PlanDraft& draft, const Params& params,
                                    const HeadShape& heads) {
  command.require(std::isfinite(params.scale), "the scale is not finite");
  auto& stage = draft.add_stage<AttentionStage>();
  stage.kernels = &draft.kernels;
  stage.heads = heads;
  stage.scale = params.scale;
  stage.q = command.floats(Slot::kQ, draft.rows * heads.query_width());
  stage.cache = cache<Slot>(command, params, Access::kRead);
  stage.out = command.output_floats(Slot::kOut, draft.rows * heads.query_width());
  command.apart(stage.q, draft.rows * heads.query_width(), stage.out, draft.rows * heads.query_width());
  const AttentionNeeds needs = AttentionStage::needs(heads, params.context, draft.rows);
  stage.partials = needs.partials;
  need_attention(draft, needs);
  return stage;
}

}  // namespace

void add_rope_kv_write(CheckedCommand& command, PlanDraft& draft) {
  const auto params = command.params<RopeKvWriteParams>();
  using Slot = slot::RopeKvWrite;
  const bool from_step = command.patch(Patch::kPosition, offsetof(RopeKvWriteParams, position));
  if (!check_heads(command, params)) return;
  limit_position(command, draft, from_step, params.position, params.context);
  const HeadShape shape = head_shape(params, from_step);
  add_rope_stage<Slot>(command, draft, params, shape).q =
      command.output_floats(Slot::kQ, draft.rows * shape.query_width());
}

void add_attention(CheckedCommand& command, PlanDraft& draft) {
  const auto params = command.params<AttentionParams>();
  const bool from_step = command.patch(Patch::kPositionAndKv, offsetof(AttentionParams, position),
                                       offsetof(AttentionParams, kv_length));
  if (!check_heads(command, params)) return;
  limit_position(command, draft, from_step, params.position, params.context);
  add_attention_stage<slot::Attention>(command, draft, params, head_shape(params, from_step));
}

void add_rope_attention(CheckedCommand& command, PlanDraft& draft) {
  const auto params = command.params<RopeAttentionParams>();
  using Slot = slot::RopeAttention;
  const bool from_step = command.patch(Patch::kPositionAndKv, offsetof(RopeAttentionParams, position),
                                       offsetof(RopeAttentionParams, kv_length));
  if (!check_heads(command, params)) return;
  limit_position(command, draft, from_step, params.position, params.context);
  const HeadShape shape = head_shape(params, from_step);
  RopeStage& rope = add_rope_stage<Slot>(command, draft, params, shape);
  AttentionStage& attention = add_attention_stage<Slot>(command, draft, params, shape);
  attention.rotation = rope.rows.rotation;
  attention.rows = &rope.rows;
  rope.attention = &attention;
  command.apart(rope.rows.k, draft.rows * shape.kv_width(), attention.out, draft.rows * shape.query_width());
  command.apart(rope.rows.v, draft.rows * shape.kv_width(), attention.out, draft.rows * shape.query_width());
}

}  // namespace emberline
