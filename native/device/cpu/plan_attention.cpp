#include <algorithm>
#include <cmath>
#include <cstddef>

#include "device/cpu/plan_draft.h"

namespace emberline {
namespace {

// `Params` is a RopeKvWriteParams, an AttentionParams or a RopeAttentionParams.
template <typename Params>
HeadShape head_shape(const BoundCommand& command, const Params& params) {
  return {params.query_heads, params.kv_heads, params.head_width, command.position(params)};
}

// The keys or values of a cache: page 0, and the pages behind it as the buffer grows.
KvPlane plane(const BoundCommand& command, int slot, std::uint64_t page_bytes) {
  return {command.at<std::uint8_t>(slot), command.binding(slot).offset + page_bytes,
          command.view(slot).usable};
}

// Ids of the pages that `plane` may come to hold lie below this.
std::uint32_t page_limit(const BoundCommand& command, int slot, const KvPlane& plane,
                         std::uint32_t page_stride) {
  const std::uint64_t rest = command.view(slot).extent.most - plane.end;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(rest / page_stride, kMaxExtent)) + 1;
}

// Which of its pages a table names is checked as it is read.
template <typename Slot, typename Params>
KvPages cache(const BoundCommand& command, const Params& params) {
  const std::uint64_t page = kv_page_bytes(params.kv_heads, params.head_width, params.cache_type);
  KvPages pages;
  pages.head_width = params.head_width;
  pages.page_stride = params.page_stride;
  pages.cache_type = params.cache_type;
  pages.keys = plane(command, Slot::kKeyCache, page);
  pages.values = plane(command, Slot::kValueCache, page);
  pages.table = command.at<std::uint32_t>(Slot::kPages);
  pages.pages = std::min(page_limit(command, Slot::kKeyCache, pages.keys, params.page_stride),
                         page_limit(command, Slot::kValueCache, pages.values, params.page_stride));
  return pages;
}

// Those of an earlier command where it has the same.
const RopeAngleStage* find_angles(PlanDraft& draft, float theta, std::uint32_t rotary_width,
                                  const float* factors, const HeadShape& heads) {
  for (const auto& stage : draft.angles) {
    if (stage->theta == theta && stage->rotary_width == rotary_width && stage->factors == factors &&
        stage->position == heads.position) {
      return stage.get();
    }
  }
  auto stage = std::make_unique<RopeAngleStage>();
  stage->rotary_width = rotary_width;
  stage->theta = theta;
  stage->factors = factors;
  stage->position = heads.position;
  for (std::uint32_t i = 0; i < rotary_width / 2; ++i) {
    stage->frequencies.push_back(std::pow(double{theta}, -2.0 * i / rotary_width));
  }
  stage->angles = std::make_unique<float[]>(draft.rows * rotary_width);
  draft.angles.push_back(std::move(stage));
  return draft.angles.back().get();
}

void need_attention(PlanDraft& draft, const AttentionNeeds& needs) {
  draft.plan.needs.attention = larger(draft.plan.needs.attention, needs);
}

template <typename Slot, typename Params>
RopeStage& add_rope_stage(const BoundCommand& command, PlanDraft& draft, const Params& params) {
  auto& stage = draft.add_stage<RopeStage>();
  const HeadShape heads = head_shape(command, params);
  stage.rows.kernels = &draft.kernels;
  stage.rows.heads = heads;
  stage.rows.rotation = {
      find_angles(draft, params.theta, params.rotary_width, command.at(Slot::kFactors), heads), params.style,
      params.head_width};
  stage.rows.k = command.at(Slot::kK);
  stage.rows.v = command.at(Slot::kV);
  stage.rows.cache = cache<Slot>(command, params);
  return stage;
}

template <typename Slot, typename Params>
AttentionStage& add_attention_stage(const BoundCommand& command, PlanDraft& draft, const Params& params) {
  auto& stage = draft.add_stage<AttentionStage>();
  stage.kernels = &draft.kernels;
  stage.heads = head_shape(command, params);
  stage.scale = params.scale;
  stage.q = command.at(Slot::kQ);
  stage.cache = cache<Slot>(command, params);
  stage.out = command.at(Slot::kOut);
  stage.window = params.window;
  stage.soft_cap = params.soft_cap;
  const AttentionNeeds needs = AttentionStage::needs(stage.heads, params.context, draft.rows);
  stage.partials = needs.partials;
  need_attention(draft, needs);
  return stage;
}

}  // namespace

void add_stages(const BoundCommand& command, const RopeKvWriteParams& params, PlanDraft& draft) {
  using Slot = slot::RopeKvWrite;
  RopeStage& stage = add_rope_stage<Slot>(command, draft, params);
  stage.q = command.at(Slot::kQ);
  need_attention(draft, AttentionStage::needs(stage.rows.heads, params.context, draft.rows));
}

void add_stages(const BoundCommand& command, const AttentionParams& params, PlanDraft& draft) {
  add_attention_stage<slot::Attention>(command, draft, params);
}

void add_stages(const BoundCommand& command, const RopeAttentionParams& params, PlanDraft& draft) {
  using Slot = slot::RopeAttention;
  RopeStage& rope = add_rope_stage<Slot>(command, draft, params);
  AttentionStage& attention = add_attention_stage<Slot>(command, draft, params);
  attention.rotation = rope.rows.rotation;
  attention.rows = &rope.rows;
  rope.attention = &attention;
}

}  // namespace emberline
