// A toy of each model family, such as llama.cpp loads as well: the logits it gave stand in
// llama_cpp_logits.h.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "toy_model.h"

namespace emberline::testing {

using NamedToys = std::vector<std::pair<std::string, ToyModel>>;

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
  return toys;
}

}  // namespace emberline::testing
