// Where each weight of the model lies in the mapped file, with its shape and type checked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "gguf/tensor_type.h"

namespace emberline {

class GgufFile;
struct Hyperparameters;

struct Weight {
  std::span<const std::uint8_t> data;  // in the mapping; empty after forget_file
  TensorType type = TensorType::kF32;
  std::uint32_t rank = 0;               // of the tensor, 1 to 3
  std::uint32_t rows = 0, columns = 0;  // a vector has one row
  std::uint32_t index = 0;              // its place among the weights of the model
  bool present = false;
  float scale = 1;  // a vector's elements are multiplied by it on their way to a device
};

// Shapes as [rows, columns]; a product is y = x W^T. Several may be rows of one tensor. Gains and biases are
// F32, everything else any type with kernels.
struct LayerWeights {
  Weight attention_norm, attention_norm_behind;  // [D], where the architecture has them
  Weight query, key, value;                      // [H*d, D], [G*d, D], [G*d, D]
  Weight query_bias, key_bias, value_bias;       // [H*d], [G*d], [G*d]; may be absent
  Weight query_norm, key_norm;                   // [d], or [H*d], [G*d]; where the architecture has them
  Weight attention_output;                       // [D, H*d]
  Weight attention_output_bias;                  // [D]; may be absent
  Weight ffn_norm, ffn_norm_behind;              // [D], likewise
  Weight attention_norm_bias, ffn_norm_bias;     // [D], of those in front; where norms have biases
  Weight gate, up;                               // [F, D]; no gate where the architecture has none
  Weight up_bias;                                // [F]; may be absent
  Weight down;                                   // [D, F]
  Weight down_bias;                              // [D]; may be absent
  // Where there are experts; gate, up and down are then those of the shared one, or absent. Experts lie one
  // behind the other.
  Weight router;                  // [E, D]
  Weight expert_gate, expert_up;  // [E*F, D]
  Weight expert_down;             // [E*D, F]
};

// Calls visit(weight) for each member of `layer`, a LayerWeights, in the order a forward pass reads them.
template <typename Layer, typename Visit>
void for_each_weight(Layer& layer, Visit&& visit) {
  for (auto* weight : {&layer.attention_norm,
                       &layer.attention_norm_bias,
                       &layer.query,
                       &layer.key,
                       &layer.value,
                       &layer.query_bias,
                       &layer.key_bias,
                       &layer.value_bias,
                       &layer.query_norm,
                       &layer.key_norm,
                       &layer.attention_output,
                       &layer.attention_output_bias,
                       &layer.attention_norm_behind,
                       &layer.ffn_norm,
                       &layer.ffn_norm_bias,
                       &layer.gate,
                       &layer.up,
                       &layer.up_bias,
                       &layer.down,
                       &layer.down_bias,
                       &layer.router,
                       &layer.expert_gate,
                       &layer.expert_up,
                       &layer.expert_down,
                       &layer.ffn_norm_behind}) {
    visit(*weight);
  }
}

struct Weights {
  Weight token_embedding;   // [V, D]
  Weight output_norm;       // [D]
  Weight output_norm_bias;  // [D]; where norms have biases
  Weight output;            // [V, D]; the token embedding where the file ties them
  std::vector<LayerWeights> layers;
  std::vector<float> rope_factors;  // [rotary/2], rope_scaling.h; empty: none
  // Of LongRoPE, in their place where the context is longer than the first length; else empty.
  std::vector<float> long_rope_factors;
};

// MODEL_TENSOR_MISSING, MODEL_TENSOR_SHAPE, MODEL_TENSOR_TYPE_UNSUPPORTED; MODEL_ARCHITECTURE_UNSUPPORTED
// when the file holds a tensor the forward pass would leave out: a wrong answer is worse than none. Reads
// headers only.
Result<Weights> map_weights(const GgufFile& file, const Hyperparameters& hyperparameters);

// Keeps shapes and types alone: for when the file goes, its data being on a device.
void forget_file(Weights& weights);

}  // namespace emberline
