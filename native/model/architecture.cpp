#include "model/architecture.h"

namespace emberline {

namespace {

constexpr Architecture kArchitectures[] = {
    {.name = "llama", .experts = ExpertUse::kOptional},
    {.name = "qwen2", .rope_style = RopeStyle::kHalves, .needs_qkv_bias = true},
    {.name = "qwen3", .rope_style = RopeStyle::kHalves, .query_key_norm = QueryKeyNorm::kHead},
    {.name = "granite", .has_multipliers = true},
    {.name = "olmo2",
     .rope_style = RopeStyle::kHalves,
     .query_key_norm = QueryKeyNorm::kAll,
     .norm_place = NormPlace::kBehind,
     .local = {.global_every = 4}},  // OLMo 3's; there is no window in OLMo 2
    {.name = "exaone", .rope_style = RopeStyle::kHalves},
    {.name = "qwen3moe",
     .rope_style = RopeStyle::kHalves,
     .query_key_norm = QueryKeyNorm::kHead,
     .experts = ExpertUse::kAlways},
    {.name = "granitemoe", .has_multipliers = true, .experts = ExpertUse::kAlways},
    {.name = "olmoe",
     .rope_style = RopeStyle::kHalves,
     .query_key_norm = QueryKeyNorm::kAll,
     .experts = ExpertUse::kAlways,
     .expert_weighting = kSoftmaxOfAll},
    {.name = "phi3", .rope_style = RopeStyle::kHalves, .fused_matrices = true},
    {.name = "gemma",
     .rope_style = RopeStyle::kHalves,
     .gate_activation = kGateGeluTanh,
     .wide_stream = true},
    {.name = "gemma2",
     .rope_style = RopeStyle::kHalves,
     .gate_activation = kGateGeluTanh,
     .norm_place = NormPlace::kBoth,
     .wide_stream = true,
     .local = {.global_every = 2, .window = 4096},
     .score_cap = 50,
     .logit_cap = 30,
     .layers_scaled_by_width = 46},
    {.name = "gemma3",
     .rope_style = RopeStyle::kHalves,
     .gate_activation = kGateGeluTanh,
     .query_key_norm = QueryKeyNorm::kHead,
     .norm_place = NormPlace::kBoth,
     .wide_stream = true,
     .local = {.global_every = 6, .rope_theta = 10000},
     .layers_scaled_by_width = 62},
    {.name = "starcoder2",
     .rope_style = RopeStyle::kHalves,
     .gate_activation = kGateGeluTanh,
     .norm_kind = NormKind::kLayer,
     .gated = false},
    {.name = "smollm3", .unrotated_every = 4},
};

}  // namespace

const Architecture* find_architecture(std::string_view name) {
  for (const Architecture& architecture : kArchitectures) {
    if (architecture.name == name) return &architecture;
  }
  return nullptr;
}

std::string supported_architectures() {
  std::string names;
  for (const Architecture& architecture : kArchitectures) {
    if (!names.empty()) names += ", ";
    names += architecture.name;
  }
  return names;
}

}  // namespace emberline
