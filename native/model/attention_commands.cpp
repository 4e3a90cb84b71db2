#include "model/attention_commands.h"

#include "model/device_weights.h"
#include "model/hyperparameters.h"
#include "model/kv_cache.h"
#include "model/scratch.h"
#include "model/weights.h"

namespace emberline {

void AttentionCommands::write_input(std::uint32_t layer, bool only_cache) {
  const LayerWeights& weights = weights_.layers[layer];
  // Norms of queries and keys come between the products and the rotation.
  const bool in_one =
      to_.begins_with_rms_norm(weights.attention_norm) && !weights.query_norm.present && !to_.is_waiting();
  if (in_one && cache_.type() == kKvF16 && to_.offers(Op::kNormQkvRope)) {
    norm_qkv_rope(layer);
    if (!only_cache) attention(layer);
    return;
  }
  norm_qkv(weights);
  if (weights.query_norm.present && weights.key_norm.present && cache_.type() == kKvF16 &&
      to_.offers(Op::kQkNormRope)) {
    qk_norm_rope(layer);
    if (!only_cache) attention(layer);
    return;
  }
  norm_heads(weights);
  if (only_cache) {
    rope_kv_write(layer);
  } else {
    rope_and_attention(layer);
  }
}

void AttentionCommands::norm_qkv_rope(std::uint32_t layer) {
  const LayerWeights& w = weights_.layers[layer];
  using Slot = slot::NormQkvRope;
  to_.add(Op::kNormQkvRope, "norm+qkv+rope+kv write",
          {{Slot::kX, to_.residual()},
           {Slot::kGain, to_.weight(w.attention_norm)},
           {Slot::kWq, to_.weight(w.query)},
           {Slot::kWk, to_.weight(w.key)},
           {Slot::kWv, to_.weight(w.value)},
           {Slot::kBq, to_.weight(w.query_bias)},
           {Slot::kBk, to_.weight(w.key_bias)},
           {Slot::kBv, to_.weight(w.value_bias)},
           {Slot::kQ, s_.query.at()},
           {Slot::kKeyCache, cache_.keys(layer)},
           {Slot::kValueCache, cache_.values(layer)},
           {Slot::kPages, cache_.pages(layer)},
           {Slot::kFactors, rope_factors(layer)}},
          NormQkvRopeParams{.width = h_.width,
                            .epsilon = to_.stream_epsilon(),
                            .q_type = id(w.query.type),
                            .k_type = id(w.key.type),
                            .v_type = id(w.value.type),
                            .position = 0,
                            .query_heads = h_.query_heads,
                            .kv_heads = h_.kv_heads,
                            .head_width = h_.head_width,
                            .rotary_width = rotary_width(layer),
                            .style = rope_style(),
                            .theta = h_.positions(layer).rope_theta,
                            .context = cache_.context(),
                            .page_stride = cache_.page_stride(layer)},
          Patch::kPosition);
}

void AttentionCommands::norm_qkv(const LayerWeights& layer) {
  if (to_.begins_with_rms_norm(layer.attention_norm) && to_.offers(Op::kNormQkv)) {
    using Slot = slot::AddNormQkv;
    const Slots slots = {{Slot::kX, to_.residual()},
                         {Slot::kGain, to_.weight(layer.attention_norm)},
                         {Slot::kWq, to_.weight(layer.query)},
                         {Slot::kWk, to_.weight(layer.key)},
                         {Slot::kWv, to_.weight(layer.value)},
                         {Slot::kBq, to_.weight(layer.query_bias)},
                         {Slot::kBk, to_.weight(layer.key_bias)},
                         {Slot::kBv, to_.weight(layer.value_bias)},
                         {Slot::kQ, s_.query.at()},
                         {Slot::kK, s_.key.at()},
                         {Slot::kV, s_.value.at()}};
    const NormQkvParams params{.width = h_.width,
                               .epsilon = to_.stream_epsilon(),
                               .q_out = h_.query_width(),
                               .kv_out = h_.kv_width(),
                               .q_type = id(layer.query.type),
                               .k_type = id(layer.key.type),
                               .v_type = id(layer.value.type),
                               .fine_activations = kFine};
    if (!to_.is_waiting()) {
      to_.add(Op::kNormQkv, "norm+qkv", slots, params);
      return;
    }
    Command& command = to_.add(Op::kAddNormQkv, "add+norm+qkv", slots, AddNormQkvParams{params});
    to_.add_waiting_by(command, Slot::kAdded, Slot::kAddedGain, Slot::kSum);
    return;
  }
  to_.add_waiting();
  const Binding x = to_.part_input("attention norm", layer.attention_norm, layer.attention_norm_bias);
  const auto project = [this, x](const char* label, const Weight& weight, const Weight& bias, Binding y,
                                 std::uint32_t out) {
    to_.mat_mul(label, {.x = x,
                        .in = h_.width,
                        .weight = weight,
                        .bias = &bias,
                        .y = y,
                        .out = out,
                        .fine_activations = kFine});
  };
  project("query", layer.query, layer.query_bias, s_.query.at(), h_.query_width());
  project("key", layer.key, layer.key_bias, s_.key.at(), h_.kv_width());
  project("value", layer.value, layer.value_bias, s_.value.at(), h_.kv_width());
}

void AttentionCommands::qk_norm_rope(std::uint32_t layer) {
  const LayerWeights& w = weights_.layers[layer];
  using Slot = slot::QkNormRope;
  to_.add(Op::kQkNormRope, "query+key norm+rope+kv write",
          {{Slot::kQ, s_.query.at()},
           {Slot::kK, s_.key.at()},
           {Slot::kV, s_.value.at()},
           {Slot::kKeyCache, cache_.keys(layer)},
           {Slot::kValueCache, cache_.values(layer)},
           {Slot::kPages, cache_.pages(layer)},
           {Slot::kFactors, rope_factors(layer)},
           {Slot::kQueryGain, to_.weight(w.query_norm)},
           {Slot::kKeyGain, to_.weight(w.key_norm)}},
          QkNormRopeParams{.position = 0,
                           .query_heads = h_.query_heads,
                           .kv_heads = h_.kv_heads,
                           .head_width = h_.head_width,
                           .rotary_width = rotary_width(layer),
                           .style = rope_style(),
                           .theta = h_.positions(layer).rope_theta,
                           .context = cache_.context(),
                           .page_stride = cache_.page_stride(layer),
                           .epsilon = h_.norm_epsilon,
                           .query_part = w.query_norm.columns,
                           .key_part = w.key_norm.columns},
          Patch::kPosition);
}

void AttentionCommands::norm_heads(const LayerWeights& layer) {
  const auto norm = [this](const char* label, const Weight& gain, Binding heads, std::uint32_t width) {
    if (!gain.present) return;
    to_.add(
        Op::kRmsNorm, label,
        {{slot::RmsNorm::kX, heads}, {slot::RmsNorm::kGain, to_.weight(gain)}, {slot::RmsNorm::kOut, heads}},
        RmsNormParams{.width = gain.columns, .epsilon = h_.norm_epsilon, .parts = width / gain.columns});
  };
  norm("query norm", layer.query_norm, s_.query.at(), h_.query_width());
  norm("key norm", layer.key_norm, s_.key.at(), h_.kv_width());
}

void AttentionCommands::rope_kv_write(std::uint32_t layer) {
  to_.add(Op::kRopeKvWrite, "rope+kv write",
          {{slot::RopeKvWrite::kQ, s_.query.at()},
           {slot::RopeKvWrite::kK, s_.key.at()},
           {slot::RopeKvWrite::kV, s_.value.at()},
           {slot::RopeKvWrite::kKeyCache, cache_.keys(layer)},
           {slot::RopeKvWrite::kValueCache, cache_.values(layer)},
           {slot::RopeKvWrite::kPages, cache_.pages(layer)},
           {slot::RopeKvWrite::kFactors, rope_factors(layer)}},
          RopeKvWriteParams{.position = 0,
                            .query_heads = h_.query_heads,
                            .kv_heads = h_.kv_heads,
                            .head_width = h_.head_width,
                            .rotary_width = rotary_width(layer),
                            .style = rope_style(),
                            .theta = h_.positions(layer).rope_theta,
                            .context = cache_.context(),
                            .page_stride = cache_.page_stride(layer),
                            .cache_type = cache_.type()},
          Patch::kPosition);
}

void AttentionCommands::rope_and_attention(std::uint32_t layer) {
  if (!to_.offers(Op::kRopeAttention)) {
    rope_kv_write(layer);
    attention(layer);
    return;
  }
  to_.add(Op::kRopeAttention, "rope+attention",
          {{slot::RopeAttention::kQ, s_.query.at()},
           {slot::RopeAttention::kK, s_.key.at()},
           {slot::RopeAttention::kV, s_.value.at()},
           {slot::RopeAttention::kKeyCache, cache_.keys(layer)},
           {slot::RopeAttention::kValueCache, cache_.values(layer)},
           {slot::RopeAttention::kPages, cache_.pages(layer)},
           {slot::RopeAttention::kOut, s_.attended.at()},
           {slot::RopeAttention::kFactors, rope_factors(layer)}},
          RopeAttentionParams{.position = 0,
                              .query_heads = h_.query_heads,
                              .kv_heads = h_.kv_heads,
                              .head_width = h_.head_width,
                              .rotary_width = rotary_width(layer),
                              .style = rope_style(),
                              .theta = h_.positions(layer).rope_theta,
                              .scale = attention_scale(layer),
                              .context = cache_.context(),
                              .page_stride = cache_.page_stride(layer),
                              .window = window(layer),
                              .soft_cap = h_.score_cap,
                              .cache_type = cache_.type()},
          Patch::kPosition);
}

void AttentionCommands::attention(std::uint32_t layer) {
  to_.add(Op::kAttention, "attention",
          {{slot::Attention::kQ, s_.query.at()},
           {slot::Attention::kKeyCache, cache_.keys(layer)},
           {slot::Attention::kValueCache, cache_.values(layer)},
           {slot::Attention::kPages, cache_.pages(layer)},
           {slot::Attention::kOut, s_.attended.at()}},
          AttentionParams{.position = 0,
                          .query_heads = h_.query_heads,
                          .kv_heads = h_.kv_heads,
                          .head_width = h_.head_width,
                          .scale = attention_scale(layer),
                          .context = cache_.context(),
                          .page_stride = cache_.page_stride(layer),
                          .window = window(layer),
                          .soft_cap = h_.score_cap,
                          .cache_type = cache_.type()},
          Patch::kPosition);
}

std::uint32_t AttentionCommands::rope_style() const {
  return static_cast<std::uint32_t>(h_.rope_style);
}

std::uint32_t AttentionCommands::rotary_width(std::uint32_t layer) const {
  return h_.positions(layer).rotated ? h_.rotary_width : 0;
}

Binding AttentionCommands::rope_factors(std::uint32_t layer) const {
  const LayerPositions positions = h_.positions(layer);
  if (!positions.rotated || !positions.scaled) return {};
  const RopeScaling& scaling = h_.rope_scaling;
  const bool is_long =
      scaling.kind == RopeScalingKind::kLongRope && cache_.context() > scaling.original_context;
  return is_long ? device_weights_.long_rope_factors() : device_weights_.rope_factors();
}

std::uint32_t AttentionCommands::window(std::uint32_t layer) const {
  const std::uint32_t window = h_.positions(layer).window;
  return window < cache_.context() ? window : 0;
}

float AttentionCommands::attention_scale(std::uint32_t layer) const {
  const LayerPositions positions = h_.positions(layer);
  const bool warmed = positions.rotated && positions.scaled;
  return (warmed ? rope_attention_factor(h_.rope_scaling) : 1.0f) * h_.score_scale();
}

void AttentionCommands::write_output(const LayerWeights& layer) {
  to_.part_output("attention output",
                  {.x = s_.attended.at(),
                   .in = h_.query_width(),
                   .weight = layer.attention_output,
                   .bias = &layer.attention_output_bias,
                   .out = h_.width,
                   .fine_activations = h_.experts.count > 0 && kFine},
                  "norm behind attention", layer.attention_norm_behind);
}

}  // namespace emberline
