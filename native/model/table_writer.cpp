#include "model/table_writer.h"

#include "device/device.h"
#include "model/device_weights.h"
#include "model/hyperparameters.h"
#include "model/scratch.h"
#include "model/weights.h"

namespace emberline {

Binding TableWriter::weight(const Weight& weight) const {
  return plan_.device_weights.at(weight);
}

bool TableWriter::offers(Op op) const {
  return plan_.device.offers(op, table_.max_rows);
}

void TableWriter::mat_mul(const char* label, const Product& p) {
  add(Op::kMatMul, label,
      {{slot::MatMul::kX, p.x},
       {slot::MatMul::kWeight, weight(p.weight)},
       {slot::MatMul::kBias, p.bias != nullptr ? weight(*p.bias) : Binding{}},
       {slot::MatMul::kY, p.y}},
      MatMulParams{.in = p.in,
                   .out = p.out,
                   .weight_type = id(p.weight.type),
                   .accumulate = p.accumulate,
                   .last_row_only = p.last_row_only,
                   .fine_activations = p.fine_activations});
}

float TableWriter::stream_epsilon() const {
  return plan_.hyperparameters.norm_epsilon /
         (plan_.hyperparameters.multipliers.residual * plan_.hyperparameters.multipliers.residual);
}

void TableWriter::norm(const char* label, const Weight& gain, const Weight& bias) {
  add(Op::kRmsNorm, label,
      {{slot::RmsNorm::kX, residual()},
       {slot::RmsNorm::kGain, weight(gain)},
       {slot::RmsNorm::kOut, plan_.scratch.normed.at()},
       {slot::RmsNorm::kBias, weight(bias)}},
      RmsNormParams{
          .width = plan_.hyperparameters.width, .epsilon = stream_epsilon(), .centered = !has_rms_norms()});
}

bool TableWriter::has_rms_norms() const {
  return plan_.hyperparameters.architecture->norm_kind == NormKind::kRms;
}

bool TableWriter::begins_with_rms_norm(const Weight& gain) const {
  return gain.present && has_rms_norms();
}

Binding TableWriter::part_input(const char* label, const Weight& gain, const Weight& bias) {
  if (!gain.present) return residual();
  norm(label, gain, bias);
  return plan_.scratch.normed.at();
}

void TableWriter::part_output(const char* label, Product product, const char* norm_label,
                              const Weight& norm_behind) {
  if (!norm_behind.present) {
    product.y = residual();
    product.accumulate = true;
    return mat_mul(label, product);
  }
  product.y = plan_.scratch.normed.at();
  mat_mul(label, product);
  waiting_.emplace(Addition{norm_label, product.y, norm_behind});
  if (!additions_wait()) add_waiting();
}

Binding TableWriter::residual() const {
  return (in_other_residual_ ? plan_.scratch.other_residual : plan_.scratch.residual).at();
}

bool TableWriter::additions_wait() const {
  return plan_.hyperparameters.architecture->norm_place == NormPlace::kBoth && offers(Op::kAddNormQkv) &&
         offers(Op::kAddNormGateUp);
}

void TableWriter::add_waiting_by(Command& command, int added, int added_gain, int sum) {
  in_other_residual_ = !in_other_residual_;
  command.bindings[static_cast<std::size_t>(added)] = waiting_->added;
  command.bindings[static_cast<std::size_t>(added_gain)] = weight(waiting_->gain);
  command.bindings[static_cast<std::size_t>(sum)] = residual();
  waiting_.reset();
}

void TableWriter::add_waiting() {
  if (!waiting_) return;
  add(Op::kRmsNorm, waiting_->label,
      {{slot::RmsNorm::kX, waiting_->added},
       {slot::RmsNorm::kGain, weight(waiting_->gain)},
       {slot::RmsNorm::kOut, residual()}},
      RmsNormParams{.width = plan_.hyperparameters.width, .epsilon = stream_epsilon(), .accumulate = 1});
  waiting_.reset();
}

}  // namespace emberline
