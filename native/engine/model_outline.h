// What a model is and takes, known from its headers.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "gguf/gguf_file.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

struct ModelParts;

struct ModelOutline {
  std::uint64_t weight_bytes = 0;  // in memory, as the processor packs them
  std::uint64_t unpacked_bytes =
      0;  // beside them, while a folder is loaded whose weights have to be unpacked
  std::uint64_t file_weight_bytes = 0;  // as the file has them, which a GPU maps
  std::uint64_t token_bytes = 0;  // of weights, as packed, that a token reads; of experts, where it is routed
  std::uint64_t kv_bytes_a_position = 0;  // of the KV cache
  std::uint64_t working_bytes = 0;        // what lies between the commands of a forward pass, and the tokens
  std::uint32_t context_length = 0;
  FimTokens fim;
};

// As check_runs where the engine cannot run `file`. Touches no weights.
Result<ModelOutline> outline(const GgufFile& file);
// The same of a file whose parts are read; without what the tokenizer says where they have none.
ModelOutline outline_of(const GgufFile& file, const ModelParts& parts);

}  // namespace emberline
