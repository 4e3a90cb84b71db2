#include "device/cpu/plan_draft.h"
#include "device/cpu/stages/stages.h"

namespace emberline {

void add_stages(const BoundCommand& command, const EmbeddingParams& params, PlanDraft& draft) {
  using Slot = slot::Embedding;
  auto& stage = draft.add_stage<EmbeddingStage>();
  stage.position = command.position(params);
  stage.tokens = command.at<std::uint32_t>(Slot::kTokens);
  stage.table = command.at<std::uint8_t>(Slot::kTable);
  stage.type = static_cast<TensorType>(params.weight_type);
  stage.width = params.width;
  stage.vocabulary = params.vocabulary;
  stage.scale = params.scale;
  stage.out = command.at(Slot::kOut);
}

void add_stages(const BoundCommand& command, const RmsNormParams& params, PlanDraft& draft) {
  using Slot = slot::RmsNorm;
  auto& stage = draft.add_stage<NormStage>();
  stage.kernels = &draft.kernels;
  stage.x = command.at(Slot::kX);
  stage.gain = command.at(Slot::kGain);
  stage.bias = command.at(Slot::kBias);
  stage.addend = command.at(Slot::kAddend);
  stage.width = params.width;
  stage.parts = params.parts;
  stage.accumulate = params.accumulate != 0;
  stage.centered = params.centered != 0;
  stage.epsilon = params.epsilon;
  stage.out = command.at(Slot::kOut);
}

void add_stages(const BoundCommand& command, const GatedUnitParams& params, PlanDraft& draft) {
  using Slot = slot::GatedUnit;
  auto& stage = draft.add_stage<GatedUnitStage>();
  stage.gate_up = draft.kernels.gate[params.activation];
  stage.gate = command.at(Slot::kGate);
  stage.up = command.at(Slot::kUp);
  stage.width = params.width;
  stage.out = command.at(Slot::kOut);
}

void add_stages(const BoundCommand& command, const SoftCapParams& params, PlanDraft& draft) {
  auto& stage = draft.add_stage<SoftCapStage>();
  stage.kernels = &draft.kernels;
  stage.x = command.at(slot::SoftCap::kX);
  stage.width = params.width;
  stage.cap = params.cap;
  stage.last_row_only = params.last_row_only != 0;
}

}  // namespace emberline
