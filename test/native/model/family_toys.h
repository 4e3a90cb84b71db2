// A toy of each model family, such as llama.cpp loads as well: the logits it gave stand in
// llama_cpp_logits.h.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "toy_model.h"

namespace emberline::testing {

using NamedToys = std::vector<std::pair<std::string, ToyModel>>;

// Windows end long before prompts do, and caps are where scores and logits are.
inline std::vector<ToyModel> gemmas() {
  ToyModel gemma;
  gemma.architecture = "gemma";
  gemma.head_width = 32;
  const auto values = [](GgufWriter& writer, const std::string& family) {
    writer.add(family + ".attention.value_length", std::uint32_t{32});
  };
  gemma.also = [values](GgufWriter& writer) { values(writer, "gemma"); };
  ToyModel gemma2 = gemma;
  gemma2.architecture = "gemma2";
  gemma2.layers = 3;
  gemma2.context = 1024;
  gemma2.norms_on_both_sides = true;
  gemma2.also = [values](GgufWriter& writer) {
    values(writer, "gemma2");
    writer.add("gemma2.attention.sliding_window", std::uint32_t{48});
    writer.add("gemma2.attn_logit_softcapping", 2.0f).add("gemma2.final_logit_softcapping", 8.0f);
  };
  ToyModel gemma3 = gemma2;
  gemma3.architecture = "gemma3";
  gemma3.layers = 7;
  gemma3.head_norms = true;
  gemma3.rope_theta = 1e6f;
  gemma3.also = [values](GgufWriter& writer) {
    values(writer, "gemma3");
    writer.add("gemma3.attention.sliding_window", std::uint32_t{48});
    writer.add("gemma3.rope.scaling.type", "linear").add("gemma3.rope.scaling.factor", 8.0f);
  };
  return {gemma, gemma2, gemma3};
}

inline NamedToys family_toys() {
  NamedToys toys;
  toys.emplace_back("llama", ToyModel());
  ToyModel toy;
  toy.rope_factors = {1, 1, 1, 1.25f, 2.5f, 8, 8, 8};
  toys.emplace_back("llama, listed factors", toy);
  toy = {};
  toy.also = [](GgufWriter& writer) {
    writer.add("llama.rope.scaling.type", "linear").add("llama.rope.scaling.factor", 4.0f);
  };
  toys.emplace_back("llama, linear", toy);
  toy = {};
  toy.also = [](GgufWriter& writer) {
    writer.add("llama.rope.scaling.type", "yarn").add("llama.rope.scaling.factor", 4.0f);
    writer.add("llama.rope.scaling.original_context_length", std::uint32_t{64});
  };
  toys.emplace_back("llama, yarn", toy);
  toy = {};
  toy.architecture = "qwen2";
  toy.biases = true;
  toys.emplace_back("qwen2", toy);
  toy = {};
  toy.architecture = "qwen3";
  toy.head_norms = true;
  toys.emplace_back("qwen3", toy);
  toy = {};
  toy.architecture = "granite";
  toy.also = [](GgufWriter& writer) {
    writer.add("granite.embedding_scale", 1.5f).add("granite.residual_scale", 0.5f);
    writer.add("granite.attention.scale", 0.1f).add("granite.logit_scale", 6.0f);
  };
  toys.emplace_back("granite", toy);
  toy = {};
  toy.architecture = "olmo2";
  toy.post_norms = true;
  toy.tied = false;
  toys.emplace_back("olmo2", toy);
  toy = {};
  toy.architecture = "exaone";
  toys.emplace_back("exaone", toy);
  toy = {};
  toy.architecture = "phi3";
  toy.fused = true;
  toys.emplace_back("phi3", toy);
  // The other engine's context is 4,096.
  toy.rope_factors = {1, 1, 1, 1.125f, 1.25f, 1.5f, 2, 2};
  toy.long_rope_factors = {1, 1.125f, 1.25f, 2, 4, 16, 32, 64};
  for (const std::uint32_t first_length : {64u, 8192u}) {
    toy.also = [first_length](GgufWriter& writer) {
      writer.add("phi3.rope.scaling.original_context_length", first_length);
      writer.add("phi3.rope.scaling.attn_factor", 1.375f);
    };
    toys.emplace_back(first_length == 64 ? "phi3, long positions" : "phi3, short positions", toy);
  }
  toy = {};
  toy.architecture = "qwen3moe";
  toy.head_norms = true;
  toy.experts = 8;
  toy.experts_used = 3;
  toy.expert_hidden = 48;
  toys.emplace_back("qwen3moe", toy);
  toy.type = TensorType::kQ8_0;
  toy.expert_hidden = 64;
  toys.emplace_back("qwen3moe, Q8_0", toy);
  toy = {};
  toy.architecture = "granitemoe";
  toy.experts = 8;
  toy.experts_used = 4;
  toy.also = [](GgufWriter& writer) {
    writer.add("granitemoe.embedding_scale", 1.5f).add("granitemoe.residual_scale", 0.5f);
    writer.add("granitemoe.attention.scale", 0.1f).add("granitemoe.logit_scale", 6.0f);
  };
  toys.emplace_back("granitemoe", toy);
  toy.shared_hidden = 80;
  toys.emplace_back("granitemoe, shared", toy);
  toy.shared_hidden = 0;
  toy.type = TensorType::kQ4_0;
  toys.emplace_back("granitemoe, Q4_0", toy);
  toy = {};
  toy.architecture = "olmoe";
  toy.wide_norms = true;
  toy.tied = false;
  toy.kv_heads = toy.heads;
  toy.experts = 8;
  toy.experts_used = 3;
  toys.emplace_back("olmoe", toy);
  toy = {};
  toy.experts = 4;
  toy.experts_used = 2;
  toys.emplace_back("llama, experts", toy);
  for (ToyModel& gemma : gemmas()) toys.emplace_back(gemma.architecture, std::move(gemma));
  toy = gemmas().back();
  toy.type = TensorType::kQ4_0;
  toy.output_type = TensorType::kQ8_0;
  toys.emplace_back("gemma3, quantised", toy);
  toy = {};
  toy.architecture = "starcoder2";
  toy.layer_norms = true;
  toys.emplace_back("starcoder2", toy);
  toy = {};
  toy.architecture = "smollm3";
  toy.layers = 5;
  toys.emplace_back("smollm3", toy);
  return toys;
}

}  // namespace emberline::testing
