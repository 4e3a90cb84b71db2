#include <cstddef>

#include "device/cpu/plan_draft.h"
#include "device/cpu/stages/stages.h"

namespace emberline {

void add_embedding(CheckedCommand& command, PlanDraft& draft) {
  const auto params = command.params<EmbeddingParams>();
  using Slot = slot::Embedding;
  const PackedWeight table =
      command.weight_rows(Slot::kTable, params.weight_type, params.vocabulary, params.width, draft.rows);
  if (!command.ok()) return;
  auto& stage = draft.add_stage<EmbeddingStage>();
  stage.position_from_step = command.patch(Patch::kTokenOffset, offsetof(EmbeddingParams, position));
  stage.position = stage.position_from_step ? 0 : params.position;
  stage.tokens = command.words(Slot::kTokens, stage.position + draft.rows);
  stage.table = table.data;
  stage.type = table.type;
  stage.width = params.width;
  stage.vocabulary = params.vocabulary;
  stage.out = command.output_floats(Slot::kOut, draft.rows * params.width);
  if (command.ok() && stage.position_from_step) {
    draft.limit_positions(command.capacity(Slot::kTokens, sizeof(std::uint32_t)));
  }
}

void add_rms_norm(CheckedCommand& command, PlanDraft& draft) {
  const auto params = command.params<RmsNormParams>();
  using Slot = slot::RmsNorm;
  command.no_patch();
  command.epsilon(params.epsilon);
  if (!command.extent(params.width)) return;
  auto& stage = draft.add_stage<NormStage>();
  stage.kernels = &draft.kernels;
  stage.x = command.floats(Slot::kX, draft.rows * params.width);
  stage.gain = command.floats(Slot::kGain, params.width);
  stage.width = params.width;
  stage.epsilon = params.epsilon;
  stage.out = command.output_floats(Slot::kOut, draft.rows * params.width);
}

void add_gated_unit(CheckedCommand& command, PlanDraft& draft) {
  const auto params = command.params<GatedUnitParams>();
  using Slot = slot::GatedUnit;
  command.no_patch();
  command.gate_activation(params.activation);
  if (!command.extent(params.width)) return;
  auto& stage = draft.add_stage<GatedUnitStage>();
  stage.gate_up = gate_kernel(draft.kernels, params.activation);
  stage.gate = command.floats(Slot::kGate, draft.rows * params.width);
  stage.up = command.floats(Slot::kUp, draft.rows * params.width);
  stage.width = params.width;
  stage.out = command.output_floats(Slot::kOut, draft.rows * params.width);
}

}  // namespace emberline
