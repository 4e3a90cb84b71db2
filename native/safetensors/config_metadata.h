// config.json of a Hugging Face model as GGUF's metadata.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "grammar/json/json_value.h"
#include "safetensors/gguf_terms.h"

namespace emberline {

// How MLX quantised a matrix: groups of columns with a scale and a bias each.
struct MlxGroups {
  std::uint32_t bits = 0;   // 4, 6 or 8
  std::uint32_t width = 0;  // columns of a group: 32, 64 or 128
};

struct FolderConfig {
  std::string architecture;  // GGUF's name
  bool tied = false;         // the output matrix is the token embedding
  bool norms_behind = false;
  std::optional<MlxGroups> quantization;                       // of what is not listed below
  std::unordered_map<std::string, MlxGroups> quantized_parts;  // "model.layers.0.mlp.down_proj"
  std::vector<float> rope_factors;                             // as `rope_freqs.weight`; empty: none
  std::vector<std::uint64_t> end_ids;                          // `eos_token_id`
  std::optional<std::uint64_t> start_id;                       // `bos_token_id`
};

// Adds the keys that read_hyperparameters knows to `terms`. Of them `emberline.rope.pairs` is "halves" where
// GGUF files of the architecture have the rows of queries and keys in another order.
// MODEL_METADATA_MISSING, MODEL_METADATA_INVALID; MODEL_ARCHITECTURE_UNSUPPORTED for what is said to change
// the arithmetic in a way the engine does not know.
Result<FolderConfig> read_config(const grammar::Json& config, GgufTerms& terms);

}  // namespace emberline
