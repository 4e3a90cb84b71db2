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
     .norm_place = NormPlace::kBehind},
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
