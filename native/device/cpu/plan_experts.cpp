#include <algorithm>
#include <cstddef>

#include "device/cpu/kernels/select_kernels.h"
#include "device/cpu/plan_draft.h"
#include "device/cpu/stages/expert_stages.h"

namespace emberline {
namespace {

bool quantized(std::uint32_t type_id) {
  return is_quantized(static_cast<TensorType>(type_id));
}

}  // namespace

void add_stages(const BoundCommand& command, const ExpertsParams& params, PlanDraft& draft) {
  using Slot = slot::Experts;
  const Kernels& kernels = draft.kernels;
  // A row of scratch memory has room for what all experts of a row read; of a single row they read the same.
  ScratchNeeds& needs = draft.plan.needs;
  const std::size_t x_width = (draft.rows == 1 ? 1 : std::size_t{params.used}) * params.width;
  needs.activation_width =
      std::max({needs.activation_width, x_width, std::size_t{params.used} * params.hidden});
  needs.tile_rows = std::max<std::size_t>(kTileRows, draft.rows);

  draft.plan.stages.push_back(std::make_unique<ExpertRouteStage>(draft.rows, params.experts, params.used));
  auto& route = static_cast<ExpertRouteStage&>(*draft.plan.stages.back());
  route.kernels = &kernels;
  route.logits = command.at(Slot::kLogits);
  route.weighting = params.weighting;
  route.scale = params.scale;

  const auto add_rows = [&](const float* x, bool by_row, std::uint32_t width, bool quantize) {
    auto& rows = draft.add_stage<ExpertRowsStage>();
    rows.kernels = &kernels;
    rows.x = x;
    rows.groups = route.groups;
    rows.by_row = by_row;
    rows.width = width;
    rows.quantize = quantize;
  };
  add_rows(command.at(Slot::kX), true, params.width,
           quantized(params.gate_type) || quantized(params.up_type));
  auto& gate_up = draft.add_stage<ExpertGateUpStage>();
  gate_up.gate_up = kernels.gate[params.activation];
  gate_up.gate = product_at(command, Slot::kWGate, params.gate_type, params.hidden, params.width, kernels);
  gate_up.up = product_at(command, Slot::kWUp, params.up_type, params.hidden, params.width, kernels);
  gate_up.groups = route.groups;
  gate_up.width = params.width;
  gate_up.hidden = command.at(Slot::kHidden);

  const bool quantize_hidden = quantized(params.down_type);
  if (quantize_hidden) add_rows(gate_up.hidden, false, params.hidden, true);
  auto& down = draft.add_stage<ExpertDownStage>();
  down.down = product_at(command, Slot::kWDown, params.down_type, params.width, params.hidden, kernels);
  down.down.y = command.at(Slot::kOut);
  down.groups = route.groups;
  down.width = params.hidden;
  down.values = quantize_hidden ? nullptr : gate_up.hidden;
}

}  // namespace emberline
