#include <algorithm>
#include <cstddef>
#include <initializer_list>
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

bool any_quantized(std::initializer_list<std::uint32_t> type_ids) {
  return std::any_of(type_ids.begin(), type_ids.end(),
                     [](std::uint32_t id) { return is_quantized(static_cast<TensorType>(id)); });
}

// x and gain of a fused op whose weights have these types.
template <typename Slot, typename Params>
ActivationStage& add_norm(const BoundCommand& command, PlanDraft& draft, const Params& params,
                          std::initializer_list<std::uint32_t> type_ids) {
  auto& stage = add_activations(draft, command.at(Slot::kX), command.at(Slot::kGain), params.width,
                                params.epsilon, any_quantized(type_ids));
  if constexpr (requires { params.fine_activations; })
    stage.fine = stage.quantize && params.fine_activations != 0;
  return stage;
}

// The second half of argmax, and what both halves share.
template <typename Slot, typename Params>
void add_choice(const BoundCommand& command, PlanDraft& draft, ScanStage& scan, const Params& params,
                std::uint64_t rows) {
  scan.kernels = &draft.kernels;
  scan.vocabulary = params.vocabulary;
  scan.scans = std::make_unique<LogitsScan[]>(rows * scan.pieces());
  auto& stage = draft.add_stage<ArgmaxStage>();
  stage.scan = &scan;
  stage.position = command.position(params);
  stage.tokens = command.at<std::uint32_t>(Slot::kTokens);
  stage.log_probs = command.at(Slot::kLogProbs);
  draft.plan.has_argmax = true;
}

}  // namespace

Product product_at(const BoundCommand& command, int slot, std::uint32_t type_id, std::uint32_t out,
                   std::uint32_t width, const Kernels& kernels) {
  const PackedWeight weight = command.weight(slot, type_id, width);
  Product product{};
  product.kernel = kernels.product(weight.type);
  product.weight = weight.data;
  product.panel_bytes = weight.panel_bytes;
  product.out = out;
  return product;
}

void add_stages(const BoundCommand& command, const MatMulParams& params, PlanDraft& draft) {
  using Slot = slot::MatMul;
  const bool last_row_only = params.last_row_only != 0;
  const float* x = command.at(Slot::kX);
  const bool quantized = any_quantized({params.weight_type});
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
  Product& y = stage.products.emplace_back(
      product_at(command, Slot::kWeight, params.weight_type, params.out, params.in, draft.kernels));
  y.bias = command.at(Slot::kBias);
  y.y = command.at(Slot::kY);
  y.accumulate = params.accumulate != 0;
}

void add_stages(const BoundCommand& command, const NormMatMulParams& params, PlanDraft& draft) {
  using Slot = slot::NormMatMul;
  const bool last_row_only = params.last_row_only != 0;
  auto& activations = add_norm<Slot>(command, draft, params, {params.weight_type});
  activations.last_row_only = last_row_only;
  auto& stage = draft.add_stage<ProductStage>();
  stage.fine = activations.fine;
  stage.width = params.width;
  stage.last_row_only = last_row_only;
  stage.products
      .emplace_back(
          product_at(command, Slot::kWeight, params.weight_type, params.out, params.width, draft.kernels))
      .y = command.at(Slot::kY);
}

void add_stages(const BoundCommand& command, const NormQkvParams& params, PlanDraft& draft) {
  using Slot = slot::NormQkv;
  const std::uint32_t types[] = {params.q_type, params.k_type, params.v_type};
  const auto& activations =
      add_norm<Slot>(command, draft, params, {params.q_type, params.k_type, params.v_type});
  auto& stage = draft.add_stage<ProductStage>();
  stage.fine = activations.fine;
  stage.width = params.width;
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t out = i == 0 ? params.q_out : params.kv_out;
    Product& y = stage.products.emplace_back(
        product_at(command, Slot::kWq + i, types[i], out, params.width, draft.kernels));
    y.bias = command.at(Slot::kBq + i);
    y.y = command.at(Slot::kQ + i);
  }
}

void add_stages(const BoundCommand& command, const NormGateUpParams& params, PlanDraft& draft) {
  using Slot = slot::NormGateUp;
  add_norm<Slot>(command, draft, params, {params.gate_type, params.up_type});
  auto& stage = draft.add_stage<GateUpStage>();
  stage.gate_up = draft.kernels.gate[params.activation];
  stage.gate =
      product_at(command, Slot::kWGate, params.gate_type, params.hidden, params.width, draft.kernels);
  stage.up = product_at(command, Slot::kWUp, params.up_type, params.hidden, params.width, draft.kernels);
  stage.width = params.width;
  stage.out = command.at(Slot::kOut);
}

void add_stages(const BoundCommand& command, const ArgmaxParams& params, PlanDraft& draft) {
  using Slot = slot::Argmax;
  auto& scan = draft.add_stage<LogitsScanStage>();
  scan.logits = command.at(Slot::kLogits);
  scan.last_row_only = params.last_row_only != 0;
  add_choice<Slot>(command, draft, scan, params, scan.last_row_only ? 1 : draft.rows);
}

void add_stages(const BoundCommand& command, const NormArgmaxParams& params, PlanDraft& draft) {
  using Slot = slot::NormArgmax;
  const auto& activations = add_norm<Slot>(command, draft, params, {params.weight_type});
  auto& scan = draft.add_stage<OutputScanStage>();
  scan.output =
      product_at(command, Slot::kWeight, params.weight_type, params.vocabulary, params.width, draft.kernels);
  scan.width = params.width;
  scan.fine = activations.fine;
  draft.plan.needs.logits = std::max<std::size_t>(draft.plan.needs.logits, draft.rows * ScanStage::kPiece);
  add_choice<Slot>(command, draft, scan, params, draft.rows);
}

}  // namespace emberline
