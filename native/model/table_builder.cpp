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
#include "model/weights.h"

namespace emberline {

namespace {

using Slots = std::initializer_list<std::pair<int, Binding>>;

// The products whose rounded activations cost most accuracy for the arithmetic they hold: with 8 bits
// throughout, the embedded model's mean divergence from float32 is 2.9e-3, to which query, key and value add
// 0.9e-3 and the output matrix 0.6e-3, with a third of the weights between them; gate and up add 0.7e-3 and
// down 0.6e-3, with two thirds.
constexpr std::uint32_t kFine = 1;

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
        cache_(plan.cache) {
    table_.max_rows = max_rows;
  }

  DispatchTable build(TableEnd end) && {
    embedding();
    for (std::uint32_t layer = 0; layer < h_.layers; ++layer) {
      prefix_ = "layer " + std::to_string(layer) + " ";
      const bool last = layer + 1 == h_.layers;
      norm_qkv(weights_.layers[layer]);
      // Nothing reads what the last layer would add to the residual stream when no logits are asked for.
      if (last && end == TableEnd::kKeysAndValues) {
        rope_kv_write(layer);
        break;
      }
      rope_and_attention(layer);
      attention_output(weights_.layers[layer]);
      feed_forward(weights_.layers[layer]);
    }
    prefix_.clear();
    if (end == TableEnd::kArgmax && device_.offers(Op::kNormArgmax)) {
      norm_argmax();
    } else if (end != TableEnd::kKeysAndValues) {
      output(end == TableEnd::kLastRowLogits);
      if (end == TableEnd::kArgmax) argmax();
    }
    return std::move(table_);
  }

 private:
  Binding weight(const Weight& w) const { return device_weights_.at(w); }

  template <typename Params>
  Command& add(Op op, const char* label, Slots slots, const Params& params) {
    Command& command = table_.commands.emplace_back();
    command.op = op;
    for (const auto& [slot, binding] : slots) command.bindings[static_cast<std::size_t>(slot)] = binding;
    command.set_params(params);
    table_.labels.push_back(prefix_ + label);
    return command;
  }

  void embedding() {
    Command& command = add(Op::kEmbedding, "embedding",
                           {{slot::Embedding::kTokens, s_.tokens.at()},
                            {slot::Embedding::kTable, weight(weights_.token_embedding)},
                            {slot::Embedding::kOut, s_.residual.at()}},
                           EmbeddingParams{h_.width, h_.vocabulary, id(weights_.token_embedding.type)});
    command.patch = Patch::kTokenOffset;
  }

  void rms_norm(const char* label, const Weight& gain) {
    add(Op::kRmsNorm, label,
        {{slot::RmsNorm::kX, s_.residual.at()},
         {slot::RmsNorm::kGain, weight(gain)},
         {slot::RmsNorm::kOut, s_.normed.at()}},
        RmsNormParams{h_.width, h_.norm_epsilon});
  }

  struct Product {
    Binding x;
    std::uint32_t in;
    const Weight& weight;
    const Weight* bias;  // null: none
    Binding y;
    std::uint32_t out;
    std::uint32_t fine_activations = 0;
    bool accumulate = false;
    bool last_row_only = false;
  };
  void mat_mul(const char* label, const Product& p) {
    add(Op::kMatMul, label,
        {{slot::MatMul::kX, p.x},
         {slot::MatMul::kWeight, weight(p.weight)},
         {slot::MatMul::kBias, p.bias != nullptr ? weight(*p.bias) : Binding{}},
         {slot::MatMul::kY, p.y}},
        MatMulParams{p.in, p.out, id(p.weight.type), p.accumulate ? 1u : 0u, p.last_row_only ? 1u : 0u,
                     p.fine_activations});
  }

  void norm_qkv(const LayerWeights& layer) {
    if (device_.offers(Op::kNormQkv)) {
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
          NormQkvParams{h_.width, h_.norm_epsilon, h_.query_width(), h_.kv_width(), id(layer.query.type),
                        id(layer.key.type), id(layer.value.type), kFine});
      return;
    }
    rms_norm("attention norm", layer.attention_norm);
    const Binding x = s_.normed.at();
    mat_mul("query", {x, h_.width, layer.query, &layer.query_bias, s_.query.at(), h_.query_width(), kFine});
    mat_mul("key", {x, h_.width, layer.key, &layer.key_bias, s_.key.at(), h_.kv_width(), kFine});
    mat_mul("value", {x, h_.width, layer.value, &layer.value_bias, s_.value.at(), h_.kv_width(), kFine});
  }

  void rope_kv_write(std::uint32_t layer) {
    Command& command =
        add(Op::kRopeKvWrite, "rope+kv write",
            {{slot::RopeKvWrite::kQ, s_.query.at()},
             {slot::RopeKvWrite::kK, s_.key.at()},
             {slot::RopeKvWrite::kV, s_.value.at()},
             {slot::RopeKvWrite::kKeyCache, cache_.keys(layer)},
             {slot::RopeKvWrite::kValueCache, cache_.values(layer)},
             {slot::RopeKvWrite::kPages, cache_.pages()}},
            RopeKvWriteParams{0, h_.query_heads, h_.kv_heads, h_.head_width, h_.rotary_width, rope_style(),
                              h_.rope_theta, cache_.context(), cache_.page_stride()});
    command.patch = Patch::kPosition;
    command.patch_offset_1 = offsetof(RopeKvWriteParams, position);
  }

  void rope_and_attention(std::uint32_t layer) {
    if (!device_.offers(Op::kRopeAttention)) {
      rope_kv_write(layer);
      attention(layer);
      return;
    }
    Command& command = add(
        Op::kRopeAttention, "rope+attention",
        {{slot::RopeAttention::kQ, s_.query.at()},
         {slot::RopeAttention::kK, s_.key.at()},
         {slot::RopeAttention::kV, s_.value.at()},
         {slot::RopeAttention::kKeyCache, cache_.keys(layer)},
         {slot::RopeAttention::kValueCache, cache_.values(layer)},
         {slot::RopeAttention::kPages, cache_.pages()},
         {slot::RopeAttention::kOut, s_.attended.at()}},
        RopeAttentionParams{0, 0, h_.query_heads, h_.kv_heads, h_.head_width, h_.rotary_width, rope_style(),
                            h_.rope_theta, attention_scale(), cache_.context(), cache_.page_stride()});
    command.patch = Patch::kPositionAndKv;
    command.patch_offset_1 = offsetof(RopeAttentionParams, position);
    command.patch_offset_2 = offsetof(RopeAttentionParams, kv_length);
  }

  void attention(std::uint32_t layer) {
    Command& command = add(Op::kAttention, "attention",
                           {{slot::Attention::kQ, s_.query.at()},
                            {slot::Attention::kKeyCache, cache_.keys(layer)},
                            {slot::Attention::kValueCache, cache_.values(layer)},
                            {slot::Attention::kPages, cache_.pages()},
                            {slot::Attention::kOut, s_.attended.at()}},
                           AttentionParams{0, 0, h_.query_heads, h_.kv_heads, h_.head_width,
                                           attention_scale(), cache_.context(), cache_.page_stride()});
    command.patch = Patch::kPositionAndKv;
    command.patch_offset_1 = offsetof(AttentionParams, position);
    command.patch_offset_2 = offsetof(AttentionParams, kv_length);
  }

  std::uint32_t rope_style() const { return static_cast<std::uint32_t>(h_.architecture->rope_style); }
  float attention_scale() const { return 1.0f / std::sqrt(static_cast<float>(h_.head_width)); }

  void attention_output(const LayerWeights& layer) {
    mat_mul("attention output", {s_.attended.at(), h_.query_width(), layer.attention_output,
                                 &layer.attention_output_bias, s_.residual.at(), h_.width, 0, true});
  }

  void feed_forward(const LayerWeights& layer) {
    if (device_.offers(Op::kNormGateUp)) {
      add(Op::kNormGateUp, "norm+gate+up",
          {{slot::NormGateUp::kX, s_.residual.at()},
           {slot::NormGateUp::kGain, weight(layer.ffn_norm)},
           {slot::NormGateUp::kWGate, weight(layer.gate)},
           {slot::NormGateUp::kWUp, weight(layer.up)},
           {slot::NormGateUp::kOut, s_.hidden.at()}},
          NormGateUpParams{h_.width, h_.norm_epsilon, h_.hidden, id(layer.gate.type), id(layer.up.type)});
    } else {
      rms_norm("feed-forward norm", layer.ffn_norm);
      mat_mul("gate", {s_.normed.at(), h_.width, layer.gate, nullptr, s_.gate.at(), h_.hidden});
      mat_mul("up", {s_.normed.at(), h_.width, layer.up, nullptr, s_.up.at(), h_.hidden});
      add(Op::kSwiGlu, "swiglu",
          {{slot::SwiGlu::kGate, s_.gate.at()},
           {slot::SwiGlu::kUp, s_.up.at()},
           {slot::SwiGlu::kOut, s_.hidden.at()}},
          SwiGluParams{h_.hidden});
    }
    mat_mul("down", {s_.hidden.at(), h_.hidden, layer.down, nullptr, s_.residual.at(), h_.width, 0, true});
  }

  void output(bool last_row_only) {
    if (device_.offers(Op::kNormMatMul)) {
      add(Op::kNormMatMul, "norm+output matrix",
          {{slot::NormMatMul::kX, s_.residual.at()},
           {slot::NormMatMul::kGain, weight(weights_.output_norm)},
           {slot::NormMatMul::kWeight, weight(weights_.output)},
           {slot::NormMatMul::kY, s_.logits.at()}},
          NormMatMulParams{h_.width, h_.norm_epsilon, h_.vocabulary, id(weights_.output.type),
                           last_row_only ? 1u : 0u, kFine});
      return;
    }
    rms_norm("output norm", weights_.output_norm);
    mat_mul("output matrix", {s_.normed.at(), h_.width, weights_.output, nullptr, s_.logits.at(),
                              h_.vocabulary, kFine, false, last_row_only});
  }

  void norm_argmax() {
    Command& command =
        add(Op::kNormArgmax, "norm+output matrix+argmax",
            {{slot::NormArgmax::kX, s_.residual.at()},
             {slot::NormArgmax::kGain, weight(weights_.output_norm)},
             {slot::NormArgmax::kWeight, weight(weights_.output)},
             {slot::NormArgmax::kTokens, s_.tokens.at()},
             {slot::NormArgmax::kLogProbs, s_.log_probs.at()}},
            NormArgmaxParams{h_.width, h_.norm_epsilon, h_.vocabulary, id(weights_.output.type), kFine});
    command.patch = Patch::kArgmaxOutput;
  }

  void argmax() {
    Command& command = add(Op::kArgmax, "argmax",
                           {{slot::Argmax::kLogits, s_.logits.at()},
                            {slot::Argmax::kTokens, s_.tokens.at()},
                            {slot::Argmax::kLogProbs, s_.log_probs.at()}},
                           ArgmaxParams{h_.vocabulary, 0});
    command.patch = Patch::kArgmaxOutput;
  }

  const Device& device_;
  const Hyperparameters& h_;
  const Weights& weights_;
  const DeviceWeights& device_weights_;
  const Scratch& s_;
  const KvCache& cache_;
  DispatchTable table_;
  std::string prefix_;
};

}  // namespace

DispatchTable build_table(const TablePlan& plan, TableEnd end, std::uint32_t max_rows) {
  return TableBuilder(plan, max_rows).build(end);
}

}  // namespace emberline
