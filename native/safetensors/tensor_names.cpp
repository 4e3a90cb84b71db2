#include "safetensors/tensor_names.h"

#include <cstddef>

namespace emberline {
namespace {

struct Named {
  std::string_view theirs, ours;
};

constexpr Named kOutside[] = {
    {"model.embed_tokens", "token_embd"}, {"model.norm", "output_norm"}, {"lm_head", "output"}};

constexpr Named kInLayer[] = {
    {"input_layernorm", "attn_norm"},    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},      {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"}, {"self_attn.q_norm", "attn_q_norm"},
    {"self_attn.k_norm", "attn_k_norm"}, {"post_feedforward_layernorm", "post_ffw_norm"},
    {"mlp.gate_proj", "ffn_gate"},       {"mlp.up_proj", "ffn_up"},
    {"mlp.down_proj", "ffn_down"},
};

}  // namespace

std::string gguf_tensor_name(std::string_view name, bool norms_behind) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::string(name);
  std::string_view part = name.substr(0, dot);
  const std::string_view kind = name.substr(dot);  // ".weight"
  if (kind != ".weight" && kind != ".bias") return std::string(name);
  for (const auto& [theirs, ours] : kOutside) {
    if (part == theirs) return std::string(ours).append(kind);
  }
  constexpr std::string_view kLayers = "model.layers.";
  if (!part.starts_with(kLayers)) return std::string(name);
  part.remove_prefix(kLayers.size());
  const std::size_t behind = part.find('.');
  if (behind == 0 || behind > 4) return std::string(name);
  const std::string_view number = part.substr(0, behind);
  if (number.find_first_not_of("0123456789") != std::string_view::npos) return std::string(name);
  const std::string_view inner = part.substr(behind + 1);
  std::string mapped = "blk.";
  mapped.append(number).append(".");
  if (inner == "post_attention_layernorm")
    return mapped.append(norms_behind ? "post_attention_norm" : "ffn_norm").append(kind);
  for (const auto& [theirs, ours] : kInLayer) {
    if (inner == theirs) return mapped.append(ours).append(kind);
  }
  return std::string(name);
}

}  // namespace emberline
