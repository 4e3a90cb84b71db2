// What models ask of a GPU: together all of its kernels but those for other numbers of heads.
#pragma once

#include <vector>

#include "device/device.h"
#include "reference/random_data.h"

namespace emberline::testing {

inline ModelNeeds needs_of(TensorType type) {
  return {{type}, type, type, 9, 3, 64, kGateSilu};
}

// With what few models have.
inline ModelNeeds with_everything(ModelNeeds needs) {
  needs.gate_activation = kGateGeluTanh;
  needs.rope_factors = needs.window = needs.score_cap = needs.logit_cap = true;
  needs.qk_norms = needs.norms_on_both_sides = true;
  return needs;
}

inline std::vector<ModelNeeds> kinds_of_models() {
  std::vector<ModelNeeds> kinds;
  for (const TensorType type : kWeightTypes) {
    ModelNeeds needs = needs_of(type);
    needs.qkv_biases = needs.attention_output_bias = true;
    kinds.insert(kinds.end(), {needs, with_everything(needs)});
  }
  using enum TensorType;
  ModelNeeds mixed = needs_of(kQ4_K);
  mixed.qkv_biases = mixed.rope_factors = true;
  mixed.mixed_qkv_types = {{kQ3_K, kQ4_K}, {kQ3_K, kQ5_K}, {kQ4_K, kQ5_K}, {kQ4_K, kQ6_K}, {kQ5_K, kQ6_K}};
  kinds.insert(kinds.end(), {mixed, with_everything(mixed)});
  for (const std::uint32_t head_width : {64u, 80u, 96u, 128u, 256u}) {
    for (const std::uint32_t query_heads : {3u, 9u}) {
      ModelNeeds needs = needs_of(kF16);
      needs.head_width = head_width;
      needs.query_heads = query_heads;
      kinds.push_back(needs);
    }
  }
  return kinds;
}

}  // namespace emberline::testing
