// What a model is and takes, known from its headers.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "gguf/gguf_file.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

struct ModelOutline {
  std::uint64_t weight_bytes = 0;         // in memory, as the processor packs them
  std::uint64_t kv_bytes_a_position = 0;  // of the KV cache
  std::uint32_t context_length = 0;
  FimTokens fim;
};

// As check_runs where the engine cannot run `file`. Touches no weights.
Result<ModelOutline> outline(const GgufFile& file);

}  // namespace emberline
