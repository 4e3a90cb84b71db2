#include "model/weights.h"

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
  std::uint32_t found() const { return found_; }

  Weight matrix(const std::string& name, std::uint64_t rows, std::uint64_t columns,
                Presence presence = Presence::kRequired) {
    const GgufTensor* tensor = find(name, presence);
    if (tensor == nullptr) return {};
    if (tensor->rank != 2 || tensor->shape[0] != columns || tensor->shape[1] != rows)
      return wrong_shape(name);
    const TensorTypeTraits* type = tensor_type_traits(tensor->type_id);
    if (type == nullptr) return wrong_type(name, tensor->type_id);
    if (columns % type->block_elements != 0) return wrong_shape(name);
    return at(*tensor, rows, columns);
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
    return {tensor.data,
            static_cast<TensorType>(tensor.type_id),
            tensor.rank,
            static_cast<std::uint32_t>(rows),
            static_cast<std::uint32_t>(columns),
            found_++,
            true};
  }

  const GgufFile& file_;
  Status status_;
  std::uint32_t found_ = 0;
};

LayerWeights map_layer(WeightMapper& mapper, const Hyperparameters& h, std::uint32_t index) {
  const std::string prefix = "blk." + std::to_string(index) + ".";
  const Presence bias = h.architecture->needs_qkv_bias ? Presence::kRequired : Presence::kOptional;
  LayerWeights layer;
  layer.attention_norm = mapper.vector(prefix + "attn_norm.weight", h.width);
  layer.query = mapper.matrix(prefix + "attn_q.weight", h.query_width(), h.width);
  layer.key = mapper.matrix(prefix + "attn_k.weight", h.kv_width(), h.width);
  layer.value = mapper.matrix(prefix + "attn_v.weight", h.kv_width(), h.width);
  layer.query_bias = mapper.vector(prefix + "attn_q.bias", h.query_width(), bias);
  layer.key_bias = mapper.vector(prefix + "attn_k.bias", h.kv_width(), bias);
  layer.value_bias = mapper.vector(prefix + "attn_v.bias", h.kv_width(), bias);
  layer.attention_output = mapper.matrix(prefix + "attn_output.weight", h.width, h.query_width());
  layer.attention_output_bias = mapper.vector(prefix + "attn_output.bias", h.width, Presence::kOptional);
  layer.ffn_norm = mapper.vector(prefix + "ffn_norm.weight", h.width);
  layer.gate = mapper.matrix(prefix + "ffn_gate.weight", h.hidden, h.width);
  layer.up = mapper.matrix(prefix + "ffn_up.weight", h.hidden, h.width);
  layer.down = mapper.matrix(prefix + "ffn_down.weight", h.width, h.hidden);
  return layer;
}

// Names the forward pass reads; used only to say which tensor of a file is the odd one.
bool is_read(std::string_view name, std::uint32_t layers) {
  if (name == "token_embd.weight" || name == "output_norm.weight" || name == "output.weight") return true;
  if (name.substr(0, 4) != "blk.") return false;
  const std::size_t dot = name.find('.', 4);
  if (dot == std::string_view::npos || dot == 4 || dot > 8) return false;
  std::uint32_t index = 0;
  for (const char c : name.substr(4, dot - 4)) {
    if (c < '0' || c > '9') return false;
    index = index * 10 + static_cast<std::uint32_t>(c - '0');
  }
  if (index >= layers || std::to_string(index) != name.substr(4, dot - 4)) return false;
  for (const char* suffix :
       {"attn_norm.weight", "attn_q.weight", "attn_k.weight", "attn_v.weight", "attn_q.bias", "attn_k.bias",
        "attn_v.bias", "attn_output.weight", "attn_output.bias", "ffn_norm.weight", "ffn_gate.weight",
        "ffn_up.weight", "ffn_down.weight"}) {
    if (name.substr(dot + 1) == suffix) return true;
  }
  return false;
}

Status refuse_leftovers(const GgufFile& file, const Hyperparameters& h) {
  for (const GgufTensor& tensor : file.tensors()) {
    if (!is_read(tensor.name, h.layers)) {
      return Status(ErrorCode::kModelArchitectureUnsupported,
                    "The model has a tensor " + std::string(tensor.name.substr(0, 64)) +
                        " that this architecture's forward pass does not use; choose another model.");
    }
  }
  return {};
}

}  // namespace

Result<Weights> map_weights(const GgufFile& file, const Hyperparameters& h) {
  WeightMapper mapper(file);
  Weights weights;
  weights.token_embedding = mapper.matrix("token_embd.weight", h.vocabulary, h.width);
  weights.output_norm = mapper.vector("output_norm.weight", h.width);
  weights.output = mapper.matrix("output.weight", h.vocabulary, h.width, Presence::kOptional);
  if (!weights.output.present) weights.output = weights.token_embedding;
  for (std::uint32_t index = 0; index < h.layers && mapper.status().ok(); ++index) {
    weights.layers.push_back(map_layer(mapper, h, index));
  }
  if (!mapper.status().ok()) return mapper.status();
  if (mapper.found() != file.tensors().size()) {
    TRY(refuse_leftovers(file, h));
  }
  return weights;
}

void forget_file(Weights& weights) {
  weights.token_embedding.data = weights.output_norm.data = weights.output.data = {};
  for (LayerWeights& layer : weights.layers) {
    for (Weight* weight :
         {&layer.attention_norm, &layer.query, &layer.key, &layer.value, &layer.query_bias, &layer.key_bias,
          &layer.value_bias, &layer.attention_output, &layer.attention_output_bias, &layer.ffn_norm,
          &layer.gate, &layer.up, &layer.down}) {
      weight->data = {};
    }
  }
}

}  // namespace emberline
