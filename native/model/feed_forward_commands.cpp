#include "model/feed_forward_commands.h"

#include "model/hyperparameters.h"
#include "model/scratch.h"
#include "model/weights.h"

namespace emberline {

void FeedForwardCommands::experts(const LayerWeights& layer) {
  const Experts& e = h_.experts;
  using Slot = slot::Experts;
  to_.norm("feed-forward norm", layer.ffn_norm, layer.ffn_norm_bias);
  to_.mat_mul(
      "router",
      {.x = s_.normed.at(), .in = h_.width, .weight = layer.router, .y = s_.routing.at(), .out = e.count});
  to_.add(Op::kExperts, "experts",
          {{Slot::kX, s_.normed.at()},
           {Slot::kLogits, s_.routing.at()},
           {Slot::kWGate, to_.weight(layer.expert_gate)},
           {Slot::kWUp, to_.weight(layer.expert_up)},
           {Slot::kWDown, to_.weight(layer.expert_down)},
           {Slot::kHidden, s_.hidden.at()},
           {Slot::kOut, to_.residual()}},
          ExpertsParams{.width = h_.width,
                        .hidden = e.hidden,
                        .experts = e.count,
                        .used = e.used,
                        .gate_type = id(layer.expert_gate.type),
                        .up_type = id(layer.expert_up.type),
                        .down_type = id(layer.expert_down.type),
                        .activation = h_.architecture->gate_activation,
                        .weighting = h_.architecture->expert_weighting,
                        .scale = e.scale});
}

void FeedForwardCommands::shared_expert(const LayerWeights& layer) {
  unit(layer, s_.normed.at());
  to_.mat_mul("down", {.x = s_.hidden.at(),
                       .in = h_.hidden,
                       .weight = layer.down,
                       .y = to_.residual(),
                       .out = h_.width,
                       .accumulate = true});
}

void FeedForwardCommands::unit(const LayerWeights& layer, Binding x) {
  const auto expand = [this, x](const char* label, const Weight& weight, const Weight* bias, Binding y) {
    to_.mat_mul(label, {.x = x, .in = h_.width, .weight = weight, .bias = bias, .y = y, .out = h_.hidden});
  };
  if (layer.gate.present) expand("gate", layer.gate, nullptr, s_.gate.at());
  expand("up", layer.up, &layer.up_bias, s_.up.at());
  to_.add(Op::kGatedUnit, layer.gate.present ? "gated unit" : "activation",
          {{slot::GatedUnit::kGate, layer.gate.present ? s_.gate.at() : s_.up.at()},
           {slot::GatedUnit::kUp, layer.gate.present ? s_.up.at() : Binding{}},
           {slot::GatedUnit::kOut, s_.hidden.at()}},
          GatedUnitParams{.width = h_.hidden, .activation = h_.architecture->gate_activation});
}

void FeedForwardCommands::norm_gate_up(const LayerWeights& layer) {
  using Slot = slot::AddNormGateUp;
  const Slots slots = {{Slot::kX, to_.residual()},
                       {Slot::kGain, to_.weight(layer.ffn_norm)},
                       {Slot::kWGate, to_.weight(layer.gate)},
                       {Slot::kWUp, to_.weight(layer.up)},
                       {Slot::kOut, s_.hidden.at()}};
  const NormGateUpParams params{.width = h_.width,
                                .epsilon = to_.stream_epsilon(),
                                .hidden = h_.hidden,
                                .gate_type = id(layer.gate.type),
                                .up_type = id(layer.up.type),
                                .activation = h_.architecture->gate_activation};
  if (!to_.is_waiting()) {
    to_.add(Op::kNormGateUp, "norm+gate+up", slots, params);
    return;
  }
  Command& command = to_.add(Op::kAddNormGateUp, "add+norm+gate+up", slots, AddNormGateUpParams{params});
  to_.add_waiting_by(command, Slot::kAdded, Slot::kAddedGain, Slot::kSum);
}

void FeedForwardCommands::write(const LayerWeights& layer) {
  if (h_.experts.count > 0) {
    to_.add_waiting();
    experts(layer);
    if (h_.experts.shared) shared_expert(layer);
    return;
  }
  if (to_.begins_with_rms_norm(layer.ffn_norm) && layer.gate.present && to_.offers(Op::kNormGateUp)) {
    norm_gate_up(layer);
  } else {
    to_.add_waiting();
    unit(layer, to_.part_input("feed-forward norm", layer.ffn_norm, layer.ffn_norm_bias));
  }
  to_.part_output(
      "down",
      {.x = s_.hidden.at(), .in = h_.hidden, .weight = layer.down, .bias = &layer.down_bias, .out = h_.width},
      "norm behind feed-forward part", layer.ffn_norm_behind);
}

}  // namespace emberline
