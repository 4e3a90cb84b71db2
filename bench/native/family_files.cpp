// Writes a file of random weights for every model family in every mix of types that people have: FOLDER.
//
// The toys of the native tests, as wide as a super-block and four layers deep at least; windows end long
// before 512 tokens. A file is called FAMILY-TYPES.gguf; their names are printed, one a line. Beside each
// lies FAMILY-TYPES.f32.gguf, which has the same weights in F32: what a reader computes of it is not rounded.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "model/family_toys.h"
#include "toy_model.h"

namespace emberline::testing {
namespace {

struct Mix {
  const char* name;
  TensorType matrices, output;
  std::optional<TensorType> finer;  // of values and down matrices in every other layer
};

constexpr Mix kMixes[] = {
    {"f16", TensorType::kF16, TensorType::kF16, {}},
    {"q4_k_m", TensorType::kQ4_K, TensorType::kQ6_K, TensorType::kQ6_K},
    {"q8_0", TensorType::kQ8_0, TensorType::kQ8_0, {}},
};

// Of logits with a deviation of 2, as models have that were trained.
constexpr float kOutputScale = 0.5f;
// Where embeddings are scaled by the root of the width, in the place of so much of them, so that the layers
// have a say beside the token itself.
constexpr float kScaledEmbeddings = 8.0f;
constexpr std::uint32_t kBlock = 256;

ToyModel widened(ToyModel toy, const Mix& mix) {
  const std::uint32_t shared = toy.kv_heads == toy.heads ? 1 : 2;  // query heads of a KV head
  toy.width = toy.hidden = kBlock;
  toy.head_width = 32;  // which the gemmas' metadata repeat
  toy.heads = kBlock / toy.head_width;
  toy.kv_heads = toy.heads / shared;
  toy.layers = std::max(toy.layers, 4U);
  toy.context = 1024;
  if (toy.expert_hidden > 0) toy.expert_hidden = kBlock;
  if (toy.shared_hidden > 0) toy.shared_hidden = kBlock;
  for (std::vector<float>* factors : {&toy.rope_factors, &toy.long_rope_factors}) {
    std::vector<float> twice;
    for (const float factor : *factors) twice.insert(twice.end(), 2, factor);
    *factors = twice;
  }
  toy.score_scale = 1.0f;
  toy.expert_scale = 1.0f;
  const bool scaled = toy.architecture.starts_with("gemma");
  toy.output_scale = scaled ? kOutputScale / kScaledEmbeddings : kOutputScale;
  toy.output_gain = scaled ? kScaledEmbeddings : 1.0f;
  toy.type = mix.matrices;
  toy.output_type = mix.output;
  toy.mixed_type = mix.finer;
  return toy;
}

std::string name_of(const std::string& family, const Mix& mix) {
  std::string name;
  for (const char c : family) {
    if (c != ',') name += c == ' ' ? '-' : c;
  }
  return name + "-" + mix.name;
}

bool write_families(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const auto& [family, toy] : family_toys()) {
    if (toy.type != TensorType::kF32) continue;  // a family's quantised toy repeats it
    for (const Mix& mix : kMixes) {
      const std::string name = name_of(family, mix);
      ToyModel model = widened(toy, mix);
      if (!model.writer().write(folder / (name + ".gguf"))) return false;
      model.written_out = true;
      if (!model.writer().write(folder / (name + ".f32.gguf"))) return false;
      std::cout << name << ".gguf\n";
    }
  }
  return true;
}

}  // namespace
}  // namespace emberline::testing

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "The usage is: emberline_family_files FOLDER.\n";
    return 2;
  }
  if (emberline::testing::write_families(arguments[1])) return 0;
  std::cerr << "The files could not be written to " << arguments[1] << ".\n";
  return 1;
}
