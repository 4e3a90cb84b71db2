#include "model/table_builder.h"

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>

#include "model/device_weights.h"
#include "model/hyperparameters.h"
#include "model/kv_cache.h"
#include "model/scratch.h"
#include "model/token_history.h"
#include "model/weights.h"

namespace emberline {

namespace {

using Slots = std::initializer_list<std::pair<int, Binding>>;

// The products whose rounded activations cost most accuracy for the arithmetic they hold: with 8 bits
// throughout, the embedded model's mean divergence from float32 is 2.9e-3, to which query, key and value add
// 0.9e-3 and the output matrix 0.6e-3, with a third of the weights between them; gate and up add 0.7e-3 and
// down 0.6e-3, with two thirds.
constexpr bool kFine = true;

// What a command's patch changes: bytes into its parameters.
struct Patched {
  Patch kind = Patch::kNone;
  std::size_t offset_1 = 0, offset_2 = 0;
};

std::uint32_t id(TensorType type) {
  return static_cast<std::uint32_t>(type);
}

class TableBuilder {
 public:
  TableBuilder(const TablePlan& plan, std::uint32_t max_rows)
      : device_(plan.device),
        h_(plan.hyperparameters),
        weights_(plan.weights),
        device_weights_(plan.device_weights),
        s_(plan.scratch),
        cache_(plan.cache),
        history_(plan.history) {
    table_.max_rows = max_rows;
  }

  DispatchTable build(TableEnd end) && {
    embedding();
    for (std::uint32_t layer = 0; layer < h_.layers; ++layer) {
      prefix_ = "layer " + std::to_string(layer) + " ";
      const bool last = layer + 1 == h_.layers;
      // Nothing reads what the last layer would add to the residual stream when no logits are asked for.
      const bool only_cache = last && end == TableEnd::kKeysAndValues;
      attention_input(layer, only_cache);
      if (only_cache) break;
      attention_output(weights_.layers[layer]);
      feed_forward(weights_.layers[layer]);
    }
    prefix_.clear();
    const bool plain_logits = has_rms_norms() && h_.logit_cap == 0.0f;
    if (end == TableEnd::kArgmax && plain_logits && offers(Op::kNormArgmax)) {
      norm_argmax();
    } else if (end != TableEnd::kKeysAndValues) {
      output(end == TableEnd::kLastRowLogits);
      if (h_.logit_cap != 0.0f) cap_logits(end == TableEnd::kLastRowLogits);
      if (end == TableEnd::kArgmax) argmax({.scores = s_.logits.at()});
      if (end == TableEnd::kSample) sample();
    }
    return std::move(table_);
  }

 private:
  Binding weight(const Weight& w) const { return device_weights_.at(w); }

  template <typename Params>
  void add(Op op, const char* label, Slots slots, const Params& params, const Patched& patched = {}) {
    Command& command = table_.commands.emplace_back();
    command.op = op;
    command.patch = patched.kind;
    command.patch_offset_1 = static_cast<std::uint8_t>(patched.offset_1);
    command.patch_offset_2 = static_cast<std::uint8_t>(patched.offset_2);
    for (const auto& [slot, binding] : slots) command.bindings[static_cast<std::size_t>(slot)] = binding;
    command.set_params(params);
    table_.labels.push_back(prefix_ + label);
  }

  void embedding() {
    add(Op::kEmbedding, "embedding",
        {{slot::Embedding::kTokens, history_.tokens()},
         {slot::Embedding::kTable, weight(weights_.token_embedding)},
         {slot::Embedding::kOut, s_.residual.at()}},
        EmbeddingParams{.width = h_.width,
                        .vocabulary = h_.vocabulary,
                        .weight_type = id(weights_.token_embedding.type),
                        .scale = h_.multipliers.embedding / h_.multipliers.residual},
        {Patch::kTokenOffset, offsetof(EmbeddingParams, position)});
  }

  // The residual stream is kept in units of what is added to it, so that nothing has to be scaled on its way
  // there: norms give the same of it where their epsilon, too, is in these units.
  float stream_epsilon() const {
    return h_.norm_epsilon / (h_.multipliers.residual * h_.multipliers.residual);
  }

  // Of the residual stream.
  void norm(const char* label, const Weight& gain, const Weight& bias) {
    add(Op::kRmsNorm, label,
        {{slot::RmsNorm::kX, s_.residual.at()},
         {slot::RmsNorm::kGain, weight(gain)},
         {slot::RmsNorm::kOut, s_.normed.at()},
         {slot::RmsNorm::kBias, weight(bias)}},
        RmsNormParams{.width = h_.width, .epsilon = stream_epsilon(), .centered = !has_rms_norms()});
  }

  // Whether ops may be offered that begin with one.
  bool has_rms_norms() const { return h_.architecture->norm_kind == NormKind::kRms; }
  bool begins_with_rms_norm(const Weight& gain) const { return gain.present && has_rms_norms(); }

  struct Product {
    Binding x;
    std::uint32_t in;
    const Weight& weight;
    const Weight* bias = nullptr;  // null: none
    Binding y = {};
    std::uint32_t out;
    bool fine_activations = false;
    bool accumulate = false;
    bool last_row_only = false;
  };

  // What attention and the feed-forward part read: the stream, normed where the architecture says so.
  Binding part_input(const char* label, const Weight& gain, const Weight& bias) {
    if (!gain.present) return s_.residual.at();
    norm(label, gain, bias);
    return s_.normed.at();
  }

  // What they add to the stream.
  void part_output(const char* label, Product product, const char* norm_label, const Weight& norm_behind) {
    if (!norm_behind.present) {
      product.y = s_.residual.at();
      product.accumulate = true;
      return mat_mul(label, product);
    }
    product.y = s_.normed.at();
    mat_mul(label, product);
    add(Op::kRmsNorm, norm_label,
        {{slot::RmsNorm::kX, s_.normed.at()},
         {slot::RmsNorm::kGain, weight(norm_behind)},
         {slot::RmsNorm::kOut, s_.residual.at()}},
        RmsNormParams{.width = h_.width, .epsilon = stream_epsilon(), .accumulate = 1});
  }

  void mat_mul(const char* label, const Product& p) {
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

  bool offers(Op op) const { return device_.offers(op, table_.max_rows); }

  // From the residual stream to the KV cache, and where that is not all, on to what attention gives.
  void attention_input(std::uint32_t layer, bool only_cache) {
    const LayerWeights& weights = weights_.layers[layer];
    // Norms of queries and keys come between the products and the rotation.
    const bool in_one = begins_with_rms_norm(weights.attention_norm) && !weights.query_norm.present;
    if (in_one && offers(Op::kNormQkvRope)) {
      norm_qkv_rope(layer);
      if (!only_cache) attention(layer);
      return;
    }
    norm_qkv(weights);
    norm_heads(weights);
    if (only_cache) {
      rope_kv_write(layer);
    } else {
      rope_and_attention(layer);
    }
  }

  void norm_qkv_rope(std::uint32_t layer) {
    const LayerWeights& w = weights_.layers[layer];
    using Slot = slot::NormQkvRope;
    add(Op::kNormQkvRope, "norm+qkv+rope+kv write",
        {{Slot::kX, s_.residual.at()},
         {Slot::kGain, weight(w.attention_norm)},
         {Slot::kWq, weight(w.query)},
         {Slot::kWk, weight(w.key)},
         {Slot::kWv, weight(w.value)},
         {Slot::kBq, weight(w.query_bias)},
         {Slot::kBk, weight(w.key_bias)},
         {Slot::kBv, weight(w.value_bias)},
         {Slot::kQ, s_.query.at()},
         {Slot::kKeyCache, cache_.keys(layer)},
         {Slot::kValueCache, cache_.values(layer)},
         {Slot::kPages, cache_.pages()},
         {Slot::kFactors, rope_factors(layer)}},
        NormQkvRopeParams{.width = h_.width,
                          .epsilon = stream_epsilon(),
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
                          .page_stride = cache_.page_stride()},
        {Patch::kPosition, offsetof(NormQkvRopeParams, position)});
  }

  void norm_qkv(const LayerWeights& layer) {
    if (begins_with_rms_norm(layer.attention_norm) && offers(Op::kNormQkv)) {
      add(Op::kNormQkv, "norm+qkv",
          {{slot::NormQkv::kX, s_.residual.at()},
           {slot::NormQkv::kGain, weight(layer.attention_norm)},
           {slot::NormQkv::kWq, weight(layer.query)},
           {slot::NormQkv::kWk, weight(layer.key)},
           {slot::NormQkv::kWv, weight(layer.value)},
           {slot::NormQkv::kBq, weight(layer.query_bias)},
           {slot::NormQkv::kBk, weight(layer.key_bias)},
           {slot::NormQkv::kBv, weight(layer.value_bias)},
           {slot::NormQkv::kQ, s_.query.at()},
           {slot::NormQkv::kK, s_.key.at()},
           {slot::NormQkv::kV, s_.value.at()}},
          NormQkvParams{.width = h_.width,
                        .epsilon = stream_epsilon(),
                        .q_out = h_.query_width(),
                        .kv_out = h_.kv_width(),
                        .q_type = id(layer.query.type),
                        .k_type = id(layer.key.type),
                        .v_type = id(layer.value.type),
                        .fine_activations = kFine});
      return;
    }
    const Binding x = part_input("attention norm", layer.attention_norm, layer.attention_norm_bias);
    const auto project = [this, x](const char* label, const Weight& weight, const Weight& bias, Binding y,
                                   std::uint32_t out) {
      mat_mul(label, {.x = x,
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

  // In place.
  void norm_heads(const LayerWeights& layer) {
    const auto norm = [this](const char* label, const Weight& gain, Binding heads, std::uint32_t width) {
      if (!gain.present) return;
      add(Op::kRmsNorm, label,
          {{slot::RmsNorm::kX, heads}, {slot::RmsNorm::kGain, weight(gain)}, {slot::RmsNorm::kOut, heads}},
          RmsNormParams{.width = gain.columns, .epsilon = h_.norm_epsilon, .parts = width / gain.columns});
    };
    norm("query norm", layer.query_norm, s_.query.at(), h_.query_width());
    norm("key norm", layer.key_norm, s_.key.at(), h_.kv_width());
  }

  void rope_kv_write(std::uint32_t layer) {
    add(Op::kRopeKvWrite, "rope+kv write",
        {{slot::RopeKvWrite::kQ, s_.query.at()},
         {slot::RopeKvWrite::kK, s_.key.at()},
         {slot::RopeKvWrite::kV, s_.value.at()},
         {slot::RopeKvWrite::kKeyCache, cache_.keys(layer)},
         {slot::RopeKvWrite::kValueCache, cache_.values(layer)},
         {slot::RopeKvWrite::kPages, cache_.pages()},
         {slot::RopeKvWrite::kFactors, rope_factors(layer)}},
        RopeKvWriteParams{.position = 0,
                          .query_heads = h_.query_heads,
                          .kv_heads = h_.kv_heads,
                          .head_width = h_.head_width,
                          .rotary_width = rotary_width(layer),
                          .style = rope_style(),
                          .theta = h_.positions(layer).rope_theta,
                          .context = cache_.context(),
                          .page_stride = cache_.page_stride()},
        {Patch::kPosition, offsetof(RopeKvWriteParams, position)});
  }

  void rope_and_attention(std::uint32_t layer) {
    if (!offers(Op::kRopeAttention)) {
      rope_kv_write(layer);
      attention(layer);
      return;
    }
    add(Op::kRopeAttention, "rope+attention",
        {{slot::RopeAttention::kQ, s_.query.at()},
         {slot::RopeAttention::kK, s_.key.at()},
         {slot::RopeAttention::kV, s_.value.at()},
         {slot::RopeAttention::kKeyCache, cache_.keys(layer)},
         {slot::RopeAttention::kValueCache, cache_.values(layer)},
         {slot::RopeAttention::kPages, cache_.pages()},
         {slot::RopeAttention::kOut, s_.attended.at()},
         {slot::RopeAttention::kFactors, rope_factors(layer)}},
        RopeAttentionParams{.position = 0,
                            .kv_length = 0,
                            .query_heads = h_.query_heads,
                            .kv_heads = h_.kv_heads,
                            .head_width = h_.head_width,
                            .rotary_width = rotary_width(layer),
                            .style = rope_style(),
                            .theta = h_.positions(layer).rope_theta,
                            .scale = attention_scale(),
                            .context = cache_.context(),
                            .page_stride = cache_.page_stride(),
                            .window = window(layer),
                            .soft_cap = h_.score_cap},
        {Patch::kPositionAndKv, offsetof(RopeAttentionParams, position),
         offsetof(RopeAttentionParams, kv_length)});
  }

  void attention(std::uint32_t layer) {
    add(Op::kAttention, "attention",
        {{slot::Attention::kQ, s_.query.at()},
         {slot::Attention::kKeyCache, cache_.keys(layer)},
         {slot::Attention::kValueCache, cache_.values(layer)},
         {slot::Attention::kPages, cache_.pages()},
         {slot::Attention::kOut, s_.attended.at()}},
        AttentionParams{.position = 0,
                        .kv_length = 0,
                        .query_heads = h_.query_heads,
                        .kv_heads = h_.kv_heads,
                        .head_width = h_.head_width,
                        .scale = attention_scale(),
                        .context = cache_.context(),
                        .page_stride = cache_.page_stride(),
                        .window = window(layer),
                        .soft_cap = h_.score_cap},
        {Patch::kPositionAndKv, offsetof(AttentionParams, position), offsetof(AttentionParams, kv_length)});
  }

  std::uint32_t rope_style() const { return static_cast<std::uint32_t>(h_.rope_style); }
  std::uint32_t rotary_width(std::uint32_t layer) const {
    return h_.positions(layer).rotated ? h_.rotary_width : 0;
  }
  Binding rope_factors(std::uint32_t layer) const {
    const LayerPositions positions = h_.positions(layer);
    return positions.rotated && positions.scaled ? device_weights_.rope_factors() : Binding{};
  }
  // None where the context ends before it does: more devices offer that.
  std::uint32_t window(std::uint32_t layer) const {
    const std::uint32_t window = h_.positions(layer).window;
    return window < cache_.context() ? window : 0;
  }
  float attention_scale() const { return rope_attention_factor(h_.rope_scaling) * h_.score_scale(); }

  void attention_output(const LayerWeights& layer) {
    part_output("attention output",
                {.x = s_.attended.at(),
                 .in = h_.query_width(),
                 .weight = layer.attention_output,
                 .bias = &layer.attention_output_bias,
                 .out = h_.width},
                "norm behind attention", layer.attention_norm_behind);
  }

  // Norms are in front wherever there are experts.
  void experts(const LayerWeights& layer) {
    const Experts& e = h_.experts;
    using Slot = slot::Experts;
    norm("feed-forward norm", layer.ffn_norm, layer.ffn_norm_bias);
    mat_mul(
        "router",
        {.x = s_.normed.at(), .in = h_.width, .weight = layer.router, .y = s_.routing.at(), .out = e.count});
    add(Op::kExperts, "experts",
        {{Slot::kX, s_.normed.at()},
         {Slot::kLogits, s_.routing.at()},
         {Slot::kWGate, weight(layer.expert_gate)},
         {Slot::kWUp, weight(layer.expert_up)},
         {Slot::kWDown, weight(layer.expert_down)},
         {Slot::kHidden, s_.hidden.at()},
         {Slot::kOut, s_.residual.at()}},
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

  // The shared expert reads what the others have read: the norm of the stream before them.
  void shared_expert(const LayerWeights& layer) {
    unit(layer, s_.normed.at());
    mat_mul("down", {.x = s_.hidden.at(),
                     .in = h_.hidden,
                     .weight = layer.down,
                     .y = s_.residual.at(),
                     .out = h_.width,
                     .accumulate = true});
  }

  void unit(const LayerWeights& layer, Binding x) {
    const auto expand = [this, x](const char* label, const Weight& weight, const Weight* bias, Binding y) {
      mat_mul(label, {.x = x, .in = h_.width, .weight = weight, .bias = bias, .y = y, .out = h_.hidden});
    };
    if (layer.gate.present) expand("gate", layer.gate, nullptr, s_.gate.at());
    expand("up", layer.up, &layer.up_bias, s_.up.at());
    add(Op::kGatedUnit, layer.gate.present ? "gated unit" : "activation",
        {{slot::GatedUnit::kGate, layer.gate.present ? s_.gate.at() : s_.up.at()},
         {slot::GatedUnit::kUp, layer.gate.present ? s_.up.at() : Binding{}},
         {slot::GatedUnit::kOut, s_.hidden.at()}},
        GatedUnitParams{.width = h_.hidden, .activation = h_.architecture->gate_activation});
  }

  void feed_forward(const LayerWeights& layer) {
    if (h_.experts.count > 0) {
      experts(layer);
      if (h_.experts.shared) shared_expert(layer);
      return;
    }
    if (begins_with_rms_norm(layer.ffn_norm) && layer.gate.present && offers(Op::kNormGateUp)) {
      add(Op::kNormGateUp, "norm+gate+up",
          {{slot::NormGateUp::kX, s_.residual.at()},
           {slot::NormGateUp::kGain, weight(layer.ffn_norm)},
           {slot::NormGateUp::kWGate, weight(layer.gate)},
           {slot::NormGateUp::kWUp, weight(layer.up)},
           {slot::NormGateUp::kOut, s_.hidden.at()}},
          NormGateUpParams{.width = h_.width,
                           .epsilon = stream_epsilon(),
                           .hidden = h_.hidden,
                           .gate_type = id(layer.gate.type),
                           .up_type = id(layer.up.type),
                           .activation = h_.architecture->gate_activation});
    } else {
      unit(layer, part_input("feed-forward norm", layer.ffn_norm, layer.ffn_norm_bias));
    }
    part_output("down",
                {.x = s_.hidden.at(),
                 .in = h_.hidden,
                 .weight = layer.down,
                 .bias = &layer.down_bias,
                 .out = h_.width},
                "norm behind feed-forward part", layer.ffn_norm_behind);
  }

  void output(bool last_row_only) {
    if (has_rms_norms() && offers(Op::kNormMatMul)) {
      add(Op::kNormMatMul, "norm+output matrix",
          {{slot::NormMatMul::kX, s_.residual.at()},
           {slot::NormMatMul::kGain, weight(weights_.output_norm)},
           {slot::NormMatMul::kWeight, weight(weights_.output)},
           {slot::NormMatMul::kY, s_.logits.at()}},
          NormMatMulParams{.width = h_.width,
                           .epsilon = stream_epsilon(),
                           .out = h_.vocabulary,
                           .weight_type = id(weights_.output.type),
                           .last_row_only = last_row_only,
                           .fine_activations = kFine});
      return;
    }
    norm("output norm", weights_.output_norm, weights_.output_norm_bias);
    mat_mul("output matrix", {.x = s_.normed.at(),
                              .in = h_.width,
                              .weight = weights_.output,
                              .y = s_.logits.at(),
                              .out = h_.vocabulary,
                              .fine_activations = kFine,
                              .last_row_only = last_row_only});
  }

  void cap_logits(bool last_row_only) {
    add(Op::kSoftCap, "soft cap", {{slot::SoftCap::kX, s_.logits.at()}},
        SoftCapParams{.width = h_.vocabulary, .cap = h_.logit_cap, .last_row_only = last_row_only});
  }

  void norm_argmax() {
    add(Op::kNormArgmax, "norm+output matrix+argmax",
        {{slot::NormArgmax::kX, s_.residual.at()},
         {slot::NormArgmax::kGain, weight(weights_.output_norm)},
         {slot::NormArgmax::kWeight, weight(weights_.output)},
         {slot::NormArgmax::kTokens, history_.tokens()},
         {slot::NormArgmax::kLogProbs, history_.log_probs()}},
        NormArgmaxParams{.width = h_.width,
                         .epsilon = stream_epsilon(),
                         .vocabulary = h_.vocabulary,
                         .weight_type = id(weights_.output.type),
                         .fine_activations = kFine},
        {Patch::kArgmaxOutput, offsetof(NormArgmaxParams, position)});
  }

  void sample() {
    add(Op::kGumbel, "sampler",
        {{slot::Gumbel::kLogits, s_.logits.at()},
         {slot::Gumbel::kTokens, history_.tokens()},
         {slot::Gumbel::kSampling, s_.sampling.at()},
         {slot::Gumbel::kScores, s_.scores.at()},
         {slot::Gumbel::kNormalizer, s_.normalizer.at()}},
        GumbelParams{.vocabulary = h_.vocabulary}, {Patch::kPosition, offsetof(GumbelParams, position)});
    argmax({.scores = s_.scores.at(), .raw_logits = s_.logits.at(), .normalizer = s_.normalizer.at()});
  }

  // Logits; or a sampler's scores, with the logits behind them and their normaliser.
  struct Choice {
    Binding scores;
    Binding raw_logits = {}, normalizer = {};
  };
  void argmax(const Choice& choice) {
    add(Op::kArgmax, "argmax",
        {{slot::Argmax::kLogits, choice.scores},
         {slot::Argmax::kTokens, history_.tokens()},
         {slot::Argmax::kLogProbs, history_.log_probs()},
         {slot::Argmax::kRawLogits, choice.raw_logits},
         {slot::Argmax::kNormalizer, choice.normalizer}},
        ArgmaxParams{.vocabulary = h_.vocabulary, .last_row_only = 0},
        {Patch::kArgmaxOutput, offsetof(ArgmaxParams, position)});
  }

  const Device& device_;
  const Hyperparameters& h_;
  const Weights& weights_;
  const DeviceWeights& device_weights_;
  const Scratch& s_;
  const KvCache& cache_;
  const TokenHistory& history_;
  DispatchTable table_;
  std::string prefix_;
};

}  // namespace

DispatchTable build_table(const TablePlan& plan, TableEnd end, std::uint32_t max_rows) {
  return TableBuilder(plan, max_rows).build(end);
}

}  // namespace emberline
