#include <algorithm>
#include <cstddef>
#include <memory>

#include "device/cpu/kernels/select_kernels.h"
#include "device/cpu/plan_draft.h"
#include "device/cpu/stages/stages.h"

namespace emberline {
namespace {

// Scratch for rows of `width` and products that read them.
void need_activations(PlanDraft& draft, std::uint32_t width) {
  ScratchNeeds& needs = draft.plan.needs;
  needs.activation_width = std::max<std::size_t>(needs.activation_width, width);
  needs.tile_rows = std::max<std::size_t>(kTileRows, draft.rows);
}

ActivationStage& add_activations(PlanDraft& draft, const float* x, const float* gain, std::uint32_t width,
                                 float epsilon, bool quantize) {
  auto& stage = draft.add_stage<ActivationStage>();
  stage.kernels = &draft.kernels;
  stage.x = x;
  stage.gain = gain;
  stage.width = width;
  stage.epsilon = epsilon;
  stage.quantize = quantize;
  need_activations(draft, width);
  return stage;
}

Product product_with(const PackedWeight& weight, std::uint32_t out, const Kernels& kernels) {
  Product product{};
  product.kernel = product_kernel(kernels, weight.type);
  product.weight = weight.data;
  product.panel_bytes = weight.panel_bytes;
  product.out = out;
  return product;
}

// The second half of argmax, and what both halves share. Slots are those of kArgmax; `position` and
// `position_at`, its offset, of the command's parameters.
void add_choice(CheckedCommand& command, PlanDraft& draft, ScanStage& scan, std::uint32_t vocabulary,
                std::uint64_t rows, std::uint32_t position, std::size_t position_at) {
  using Slot = slot::Argmax;
  static_assert(int{Slot::kTokens} == slot::NormArgmax::kTokens &&
                int{Slot::kLogProbs} == slot::NormArgmax::kLogProbs);
  const bool position_from_step = command.patch(Patch::kArgmaxOutput, position_at);
  scan.kernels = &draft.kernels;
  scan.vocabulary = vocabulary;
  scan.scans = std::make_unique<LogitsScan[]>(rows * scan.pieces());
  auto& stage = draft.add_stage<ArgmaxStage>();
  stage.scan = &scan;
  stage.position_from_step = position_from_step;
  stage.position = position_from_step ? 0 : position;
  const std::uint64_t end = std::uint64_t{stage.position} + rows + 1;
  stage.tokens = command.output_words(Slot::kTokens, end);
  stage.log_probs = command.output_floats(Slot::kLogProbs, end);
  if (!command.ok()) return;
  draft.plan.has_argmax = true;
  if (position_from_step) {
    draft.limit_positions(command.capacity(Slot::kTokens, sizeof(std::uint32_t)) - 1);
    draft.limit_positions(command.capacity(Slot::kLogProbs, sizeof(float)) - 1);
  }
}

}  // namespace

void add_mat_mul(CheckedCommand& command, PlanDraft& draft) {
  const auto params = command.params<MatMulParams>();
  using Slot = slot::MatMul;
  command.no_patch();
  command.flag(params.accumulate);
  command.flag(params.last_row_only);
  command.flag(params.fine_activations);
  const PackedWeight w = command.weight(Slot::kWeight, params.weight_type, params.out, params.in);
  if (!command.ok()) return;
  const bool last_row_only = params.last_row_only != 0;
  const float* x = command.floats(Slot::kX, draft.rows * params.in);
  const bool quantized = is_quantized(w.type);
  const bool fine = quantized && params.fine_activations != 0;
  if (quantized) {
    auto& activations = add_activations(draft, x, nullptr, params.in, 0.0f, true);
    activations.last_row_only = last_row_only;
    activations.fine = fine;
  }
  need_activations(draft, params.in);
  auto& stage = draft.add_stage<ProductStage>();
  stage.width = params.in;
  stage.values = quantized ? nullptr : x;
  stage.fine = fine;
  stage.last_row_only = last_row_only;
  Product y = product_with(w, params.out, draft.kernels);
  y.bias = command.optional_floats(Slot::kBias, params.out);
  y.y = command.output_floats(Slot::kY, (last_row_only ? 1 : draft.rows) * params.out);
  y.accumulate = params.accumulate != 0;
  if (y.accumulate) command.floats(Slot::kY, (last_row_only ? 1 : draft.rows) * params.out);
  command.apart(x, draft.rows * params.in, y.y, (last_row_only ? 1 : draft.rows) * params.out);
  stage.products.push_back(y);
}

void add_norm_mat_mul(CheckedCommand& command, PlanDraft& draft) {
  const auto params = command.params<NormMatMulParams>();
  using Slot = slot::NormMatMul;
  command.no_patch();
  command.epsilon(params.epsilon);
  command.flag(params.last_row_only);
  command.flag(params.fine_activations);
  const PackedWeight w = command.weight(Slot::kWeight, params.weight_type, params.out, params.width);
  if (!command.ok()) return;
  const bool last_row_only = params.last_row_only != 0;
  const float* x = command.floats(Slot::kX, draft.rows * params.width);
  const bool fine = is_quantized(w.type) && params.fine_activations != 0;
  auto& activations = add_activations(draft, x, command.floats(Slot::kGain, params.width), params.width,
                                      params.epsilon, is_quantized(w.type));
  activations.last_row_only = last_row_only;
  activations.fine = fine;
  auto& stage = draft.add_stage<ProductStage>();
  stage.fine = fine;
  stage.width = params.width;
  stage.last_row_only = last_row_only;
  Product y = product_with(w, params.out, draft.kernels);
  y.y = command.output_floats(Slot::kY, (last_row_only ? 1 : draft.rows) * params.out);
  command.apart(x, draft.rows * params.width, y.y, (last_row_only ? 1 : draft.rows) * params.out);
  stage.products.push_back(y);
}

void add_norm_qkv(CheckedCommand& command, PlanDraft& draft) {
  const auto params = command.params<NormQkvParams>();
  using Slot = slot::NormQkv;
  command.no_patch();
  command.epsilon(params.epsilon);
  command.flag(params.fine_activations);
  const PackedWeight weights[3] = {command.weight(Slot::kWq, params.q_type, params.q_out, params.width),
                                   command.weight(Slot::kWk, params.k_type, params.kv_out, params.width),
                                   command.weight(Slot::kWv, params.v_type, params.kv_out, params.width)};
  if (!command.ok()) return;
  const bool quantize =
      is_quantized(weights[0].type) || is_quantized(weights[1].type) || is_quantized(weights[2].type);
  const float* x = command.floats(Slot::kX, draft.rows * params.width);
  const bool fine = quantize && params.fine_activations != 0;
  add_activations(draft, x, command.floats(Slot::kGain, params.width), params.width, params.epsilon, quantize)
      .fine = fine;
  auto& stage = draft.add_stage<ProductStage>();
  stage.fine = fine;
  stage.width = params.width;
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t out = i == 0 ? params.q_out : params.kv_out;
    Product y = product_with(weights[i], out, draft.kernels);
    y.bias = command.optional_floats(Slot::kBq + i, out);
    y.y = command.output_floats(Slot::kQ + i, draft.rows * out);
    command.apart(x, draft.rows * params.width, y.y, draft.rows * out);
    stage.products.push_back(y);
  }
}

void add_norm_gate_up(CheckedCommand& command, PlanDraft& draft) {
  const auto params = command.params<NormGateUpParams>();
  using Slot = slot::NormGateUp;
  command.no_patch();
  command.epsilon(params.epsilon);
  command.gate_activation(params.activation);
  const PackedWeight gate = command.weight(Slot::kWGate, params.gate_type, params.hidden, params.width);
  const PackedWeight up = command.weight(Slot::kWUp, params.up_type, params.hidden, params.width);
  if (!command.ok()) return;
  const float* x = command.floats(Slot::kX, draft.rows * params.width);
  add_activations(draft, x, command.floats(Slot::kGain, params.width), params.width, params.epsilon,
                  is_quantized(gate.type) || is_quantized(up.type));
  auto& stage = draft.add_stage<GateUpStage>();
  stage.gate_up = gate_kernel(draft.kernels, params.activation);
  stage.gate = product_with(gate, params.hidden, draft.kernels);
  stage.up = product_with(up, params.hidden, draft.kernels);
  stage.width = params.width;
  stage.out = command.output_floats(Slot::kOut, draft.rows * params.hidden);
  command.apart(x, draft.rows * params.width, stage.out, draft.rows * params.hidden);
}

void add_argmax(CheckedCommand& command, PlanDraft& draft) {
  const auto params = command.params<ArgmaxParams>();
  using Slot = slot::Argmax;
  command.flag(params.last_row_only);
  if (!command.extent(params.vocabulary)) return;
  const std::uint64_t rows = params.last_row_only != 0 ? 1 : draft.rows;
  command.require(command.binding(Slot::kRawLogits).buffer == kNoBuffer,
                  "scores of a sampler are not offered");
  auto& scan = draft.add_stage<LogitsScanStage>();
  scan.logits = command.floats(Slot::kLogits, rows * params.vocabulary);
  scan.last_row_only = params.last_row_only != 0;
  add_choice(command, draft, scan, params.vocabulary, rows, params.position,
             offsetof(ArgmaxParams, position));
}

void add_norm_argmax(CheckedCommand& command, PlanDraft& draft) {
  const auto params = command.params<NormArgmaxParams>();
  using Slot = slot::NormArgmax;
  command.epsilon(params.epsilon);
  command.flag(params.fine_activations);
  const PackedWeight w = command.weight(Slot::kWeight, params.weight_type, params.vocabulary, params.width);
  if (!command.ok()) return;
  const bool quantized = is_quantized(w.type);
  auto& activations =
      add_activations(draft, command.floats(Slot::kX, draft.rows * params.width),
                      command.floats(Slot::kGain, params.width), params.width, params.epsilon, quantized);
  activations.fine = quantized && params.fine_activations != 0;
  auto& scan = draft.add_stage<OutputScanStage>();
  scan.output = product_with(w, params.vocabulary, draft.kernels);
  scan.width = params.width;
  scan.fine = activations.fine;
  draft.plan.needs.logits = std::max<std::size_t>(draft.plan.needs.logits, draft.rows * ScanStage::kPiece);
  add_choice(command, draft, scan, params.vocabulary, draft.rows, params.position,
             offsetof(NormArgmaxParams, position));
}

}  // namespace emberline
