#include "model/weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include "base/try.h"
#include "gguf/describe.h"
#include "gguf/gguf_file.h"
#include "model/hyperparameters.h"

namespace emberline {

namespace {

enum class Presence { kRequired, kOptional };

// Finds tensors one after another and keeps the first error.
class WeightMapper {
 public:
  explicit WeightMapper(const GgufFile& file) : file_(file) {}

  const Status& status() const { return status_; }
  const std::vector<std::string>& names() const { return names_; }  // of the tensors found

  Weight matrix(const std::string& name, std::uint64_t rows, std::uint64_t columns,
                Presence presence = Presence::kRequired) {
    return rows_of(name, {.first = 0, .count = rows, .all = rows}, columns, presence);
  }

  // `count` matrices of a tensor of three dimensions, one below the other.
  Weight stacked(const std::string& name, std::uint64_t count, std::uint64_t rows, std::uint64_t columns) {
    const GgufTensor* tensor = find(name, Presence::kRequired);
    if (tensor == nullptr) return {};
    // Writers drop the last extent where it is 1.
    const std::uint64_t given = tensor->rank == 2 ? 1 : tensor->shape[2];
    if (tensor->rank < 2 || tensor->rank > 3 || tensor->shape[0] != columns || tensor->shape[1] != rows ||
        given != count)
      return wrong_shape(name);
    const TensorTypeTraits* type = tensor_type_traits(tensor->type_id);
    if (type == nullptr) return wrong_type(name, tensor->type_id);
    if (columns % type->block_elements != 0) return wrong_shape(name);
    return at(*tensor, count * rows, columns);
  }

  // Rows [first, first + count) of a matrix that has `all`.
  struct Rows {
    std::uint64_t first, count, all;
  };
  Weight rows_of(const std::string& name, const Rows& rows, std::uint64_t columns,
                 Presence presence = Presence::kRequired) {
    const GgufTensor* tensor = find(name, presence);
    if (tensor == nullptr) return {};
    if (tensor->rank != 2 || tensor->shape[0] != columns || tensor->shape[1] != rows.all)
      return wrong_shape(name);
    const TensorTypeTraits* type = tensor_type_traits(tensor->type_id);
    if (type == nullptr) return wrong_type(name, tensor->type_id);
    if (columns % type->block_elements != 0) return wrong_shape(name);
    const std::size_t row_bytes = columns / type->block_elements * type->block_bytes;
    Weight weight = at(*tensor, rows.count, columns);
    weight.data = weight.data.subspan(rows.first * row_bytes, rows.count * row_bytes);
    return weight;
  }

  Weight vector(const std::string& name, std::uint64_t extent, Presence presence = Presence::kRequired) {
    const GgufTensor* tensor = find(name, presence);
    if (tensor == nullptr) return {};
    if (tensor->rank != 1 || tensor->shape[0] != extent) return wrong_shape(name);
    if (tensor->type_id != static_cast<std::uint32_t>(TensorType::kF32))
      return wrong_type(name, tensor->type_id);
    return at(*tensor, 1, extent);
  }

 private:
  const GgufTensor* find(const std::string& name, Presence presence) {
    if (!status_.ok()) return nullptr;
    const GgufTensor* tensor = file_.tensor(name);
    if (tensor == nullptr && presence == Presence::kRequired) {
      status_ = Status(ErrorCode::kModelTensorMissing,
                       "The model file lacks the tensor " + name + "; get another file.");
    }
    return tensor;
  }

  Weight wrong_shape(const std::string& name) {
    status_ = Status(
        ErrorCode::kModelTensorShape,
        "The tensor " + name + " does not have the shape the metadata asks for; get another model file.");
    return {};
  }

  Weight wrong_type(const std::string& name, std::uint32_t type_id) {
    const TensorTypeTraits* type = tensor_type_traits(type_id);
    const std::string type_name = type != nullptr ? type->name : tensor_type_name(type_id);
    status_ =
        Status(ErrorCode::kModelTensorTypeUnsupported,
               "The tensor " + name + " is stored as type " + type_name +
                   ", which Emberline has no kernel for; choose a file quantised as Q4_K_M, Q5_K_M, Q6_K, "
                   "Q4_0 or Q8_0.");
    return {};
  }

  // Shapes follow from hyperparameters, all of which fit 32 bits.
  Weight at(const GgufTensor& tensor, std::uint64_t rows, std::uint64_t columns) {
    if (names_.empty() || names_.back() != tensor.name) names_.emplace_back(tensor.name);
    return {tensor.data,
            static_cast<TensorType>(tensor.type_id),
            tensor.rank,
            static_cast<std::uint32_t>(rows),
            static_cast<std::uint32_t>(columns),
            count_++,
            true};
  }

  const GgufFile& file_;
  Status status_;
  std::vector<std::string> names_;  // parts of a tensor are asked for one behind the other
  std::uint32_t count_ = 0;
};

// `suffix`: "", or "_shexp" of an expert that is shared.
void map_feed_forward(WeightMapper& mapper, const Hyperparameters& h, const std::string& prefix,
                      const std::string& suffix, LayerWeights& layer) {
  const bool gated = h.architecture->gated;
  if (gated) layer.gate = mapper.matrix(prefix + "ffn_gate" + suffix + ".weight", h.hidden, h.width);
  layer.up = mapper.matrix(prefix + "ffn_up" + suffix + ".weight", h.hidden, h.width);
  layer.down = mapper.matrix(prefix + "ffn_down" + suffix + ".weight", h.width, h.hidden);
  if (gated) return;
  layer.up_bias = mapper.vector(prefix + "ffn_up.bias", h.hidden, Presence::kOptional);
  layer.down_bias = mapper.vector(prefix + "ffn_down.bias", h.width, Presence::kOptional);
}

void map_experts(WeightMapper& mapper, const Hyperparameters& h, const std::string& prefix,
                 LayerWeights& layer) {
  const Experts& experts = h.experts;
  layer.router = mapper.matrix(prefix + "ffn_gate_inp.weight", experts.count, h.width);
  layer.expert_gate = mapper.stacked(prefix + "ffn_gate_exps.weight", experts.count, experts.hidden, h.width);
  layer.expert_up = mapper.stacked(prefix + "ffn_up_exps.weight", experts.count, experts.hidden, h.width);
  layer.expert_down = mapper.stacked(prefix + "ffn_down_exps.weight", experts.count, h.width, experts.hidden);
  if (experts.shared) map_feed_forward(mapper, h, prefix, "_shexp", layer);
}

// The matrices that phi3 fuses.
void map_fused(WeightMapper& mapper, const Hyperparameters& h, const std::string& prefix,
               LayerWeights& layer) {
  const std::uint64_t query = h.query_width(), kv = h.kv_width(), all = query + 2 * kv;
  const std::string qkv = prefix + "attn_qkv.weight", gate_up = prefix + "ffn_up.weight";
  layer.query = mapper.rows_of(qkv, {0, query, all}, h.width);
  layer.key = mapper.rows_of(qkv, {query, kv, all}, h.width);
  layer.value = mapper.rows_of(qkv, {query + kv, kv, all}, h.width);
  layer.gate = mapper.rows_of(gate_up, {0, h.hidden, std::uint64_t{2} * h.hidden}, h.width);
  layer.up = mapper.rows_of(gate_up, {h.hidden, h.hidden, std::uint64_t{2} * h.hidden}, h.width);
  layer.down = mapper.matrix(prefix + "ffn_down.weight", h.width, h.hidden);
}

void map_apart(WeightMapper& mapper, const Hyperparameters& h, const std::string& prefix,
               LayerWeights& layer) {
  const Presence bias = h.architecture->needs_qkv_bias ? Presence::kRequired : Presence::kOptional;
  layer.query = mapper.matrix(prefix + "attn_q.weight", h.query_width(), h.width);
  layer.key = mapper.matrix(prefix + "attn_k.weight", h.kv_width(), h.width);
  layer.value = mapper.matrix(prefix + "attn_v.weight", h.kv_width(), h.width);
  layer.query_bias = mapper.vector(prefix + "attn_q.bias", h.query_width(), bias);
  layer.key_bias = mapper.vector(prefix + "attn_k.bias", h.kv_width(), bias);
  layer.value_bias = mapper.vector(prefix + "attn_v.bias", h.kv_width(), bias);
  if (h.experts.count > 0) {
    map_experts(mapper, h, prefix, layer);
  } else {
    map_feed_forward(mapper, h, prefix, "", layer);
  }
}

void map_norms(WeightMapper& mapper, const Hyperparameters& h, const std::string& prefix,
               LayerWeights& layer) {
  const Architecture& family = *h.architecture;
  if (family.norm_place != NormPlace::kBehind) {
    layer.attention_norm = mapper.vector(prefix + "attn_norm.weight", h.width);
    layer.ffn_norm = mapper.vector(prefix + "ffn_norm.weight", h.width);
  }
  if (family.norm_place != NormPlace::kBefore) {
    layer.attention_norm_behind = mapper.vector(prefix + "post_attention_norm.weight", h.width);
    layer.ffn_norm_behind = mapper.vector(prefix + "post_ffw_norm.weight", h.width);
  }
  if (family.norm_kind == NormKind::kLayer) {
    layer.attention_norm_bias = mapper.vector(prefix + "attn_norm.bias", h.width);
    layer.ffn_norm_bias = mapper.vector(prefix + "ffn_norm.bias", h.width);
  }
  if (family.query_key_norm != QueryKeyNorm::kNone) {
    const bool all = family.query_key_norm == QueryKeyNorm::kAll;
    layer.query_norm = mapper.vector(prefix + "attn_q_norm.weight", all ? h.query_width() : h.head_width);
    layer.key_norm = mapper.vector(prefix + "attn_k_norm.weight", all ? h.kv_width() : h.head_width);
  }
}

LayerWeights map_layer(WeightMapper& mapper, const Hyperparameters& h, std::uint32_t index) {
  const std::string prefix = "blk." + std::to_string(index) + ".";
  LayerWeights layer;
  map_norms(mapper, h, prefix, layer);
  (h.architecture->fused_matrices ? map_fused : map_apart)(mapper, h, prefix, layer);
  layer.attention_output = mapper.matrix(prefix + "attn_output.weight", h.width, h.query_width());
  layer.attention_output_bias = mapper.vector(prefix + "attn_output.bias", h.width, Presence::kOptional);
  return layer;
}

Status refuse_leftovers(const GgufFile& file, const std::vector<std::string>& read) {
  for (const GgufTensor& tensor : file.tensors()) {
    if (std::find(read.begin(), read.end(), tensor.name) == read.end()) {
      return Status(ErrorCode::kModelArchitectureUnsupported,
                    "The model has a tensor " + std::string(tensor.name.substr(0, 64)) +
                        " that this architecture's forward pass does not use; choose another model.");
    }
  }
  return {};
}

// Empty where the file has none.
Result<std::vector<float>> read_factors(const Weight& listed, std::string_view name) {
  std::vector<float> given(listed.columns);
  if (listed.present) std::memcpy(given.data(), listed.data.data(), given.size() * sizeof(float));
  for (const float factor : given) {
    if (!std::isfinite(factor) || factor <= 0.0f) {
      return Status(ErrorCode::kModelTensorShape,
                    "The tensor " + std::string(name) +
                        " holds a factor that is not positive; get another model file.");
    }
  }
  return given;
}

// Llama 3.1's and Phi 3's, whose scaling is no formula in the metadata but a list or two.
Status read_rope_factors(WeightMapper& mapper, const Hyperparameters& h, Weights& weights) {
  const bool two = h.rope_scaling.kind == RopeScalingKind::kLongRope;
  const Presence presence = two ? Presence::kRequired : Presence::kOptional;
  const std::string name = two ? "rope_factors_short.weight" : "rope_freqs.weight";
  const Weight listed = mapper.vector(name, h.rotary_width / 2, presence);
  const std::string long_name(kLongRopeFactors);
  const Weight listed_long = two ? mapper.vector(long_name, h.rotary_width / 2, presence) : Weight();
  TRY(mapper.status());
  TRY_VALUE(const std::vector<float> given, read_factors(listed, name));
  TRY_VALUE(weights.long_rope_factors, read_factors(listed_long, long_name));
  weights.rope_factors = rope_factors(h.rope_scaling, given, h.rotary_width, h.rope_theta);
  return {};
}

}  // namespace

Result<Weights> map_weights(const GgufFile& file, const Hyperparameters& h) {
  WeightMapper mapper(file);
  Weights weights;
  weights.token_embedding = mapper.matrix("token_embd.weight", h.vocabulary, h.width);
  weights.output_norm = mapper.vector("output_norm.weight", h.width);
  // A product's input and its output scale alike.
  weights.output_norm.scale = 1.0f / h.multipliers.logit_divisor;
  if (h.architecture->norm_kind == NormKind::kLayer)
    weights.output_norm_bias = mapper.vector("output_norm.bias", h.width);
  weights.output = mapper.matrix("output.weight", h.vocabulary, h.width, Presence::kOptional);
  if (!weights.output.present) weights.output = weights.token_embedding;
  for (std::uint32_t index = 0; index < h.layers && mapper.status().ok(); ++index) {
    weights.layers.push_back(map_layer(mapper, h, index));
  }
  TRY(mapper.status());
  TRY(read_rope_factors(mapper, h, weights));
  if (mapper.names().size() != file.tensors().size()) {
    TRY(refuse_leftovers(file, mapper.names()));
  }
  return weights;
}

void forget_file(Weights& weights) {
  for (Weight* weight :
       {&weights.token_embedding, &weights.output_norm, &weights.output_norm_bias, &weights.output}) {
    weight->data = {};
  }
  for (LayerWeights& layer : weights.layers) for_each_weight(layer, [](Weight& weight) { weight.data = {}; });
}

}  // namespace emberline
