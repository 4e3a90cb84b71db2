// What a model is and takes, known from its headers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "gguf/gguf_file.h"
#include "model/kv_layers.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

struct ModelParts;

// What layers that keep the same positions take of a KV cache.
struct KvOutline {
  std::uint64_t bytes_a_position = 0;
  std::uint32_t window = 0;  // as KvLayers

  // With a context of so many positions: whole pages.
  std::uint64_t bytes(std::uint32_t context) const {
    return std::uint64_t{kv_pages_held(window, context)} * kKvPagePositions * bytes_a_position;
  }
};

struct ModelOutline {
  std::uint64_t weight_bytes = 0;  // in memory, as the processor packs them
  std::uint64_t unpacked_bytes =
      0;  // beside them, while a folder is loaded whose weights have to be unpacked
  std::uint64_t file_weight_bytes = 0;  // as the file has them, which a GPU maps
  std::uint64_t token_bytes = 0;  // of weights, as packed, that a token reads; of experts, where it is routed
  std::array<std::vector<KvOutline>, kKvTypes> kv;  // of a KV cache, by its type (kKv... of op_params.h)
  std::uint64_t working_bytes = 0;  // what lies between the commands of a forward pass, and the tokens
  std::uint32_t context_length = 0;
  FimTokens fim;
};

// What Model::load says of the file itself where the engine cannot run it. Touches no weights.
Result<ModelOutline> outline(const GgufFile& file);
// The same of a file whose parts are read; without what the tokenizer says where they have none.
ModelOutline outline_of(const GgufFile& file, const ModelParts& parts);

}  // namespace emberline
