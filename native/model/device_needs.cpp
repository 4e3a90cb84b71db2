#include "model/device_needs.h"

#include <algorithm>

namespace emberline {

ModelNeeds device_needs(const Hyperparameters& hyperparameters, const Weights& weights) {
  ModelNeeds needs{{},
                   weights.token_embedding.type,
                   weights.output.type,
                   hyperparameters.query_heads,
                   hyperparameters.kv_heads,
                   hyperparameters.head_width,
                   hyperparameters.architecture->gate_activation};
  needs.experts = hyperparameters.experts.count > 0;
  needs.rope_factors = !weights.rope_factors.empty();
  needs.window = hyperparameters.window != 0;
  needs.score_cap = hyperparameters.score_cap != 0.0f;
  needs.logit_cap = hyperparameters.logit_cap != 0.0f;
  needs.qk_norms = hyperparameters.architecture->query_key_norm != QueryKeyNorm::kNone;
  needs.norms_on_both_sides = hyperparameters.architecture->norm_place == NormPlace::kBoth;
  std::vector<TensorType>& types = needs.layer_types;
  for (const LayerWeights& layer : weights.layers) {
    needs.qkv_biases |= layer.query_bias.present || layer.key_bias.present || layer.value_bias.present;
    needs.attention_output_bias |= layer.attention_output_bias.present;
    for (const Weight* matrix :
         {&layer.query, &layer.key, &layer.value, &layer.attention_output, &layer.gate, &layer.up,
          &layer.down, &layer.router, &layer.expert_gate, &layer.expert_up, &layer.expert_down}) {
      if (!matrix->present) continue;
      if (std::find(types.begin(), types.end(), matrix->type) == types.end()) types.push_back(matrix->type);
    }
    std::vector<QkvTypes>& mixed = needs.mixed_qkv_types;
    const QkvTypes own{layer.query.type, layer.value.type};
    if (own.queries != own.values && std::find(mixed.begin(), mixed.end(), own) == mixed.end())
      mixed.push_back(own);
  }
  return needs;
}

}  // namespace emberline
