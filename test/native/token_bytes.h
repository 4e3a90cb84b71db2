// What the forward pass of one token cannot do without, in bytes, told from a model's file alone.
#pragma once

#include <cstdint>
#include <string_view>

#include "gguf/gguf_file.h"

namespace emberline::testing {

// Of the matrices: each once, and one row of the embedding, which may be the output matrix, too. Norms and
// biases are no matrices.
inline std::uint64_t weight_bytes_of_token(const GgufFile& file) {
  constexpr std::string_view kEmbedding = "token_embd.weight";
  const bool tied = file.tensor("output.weight") == nullptr;
  std::uint64_t bytes = 0;
  for (const GgufTensor& tensor : file.tensors()) {
    if (tensor.rank != 2) continue;
    if (tensor.name != kEmbedding || tied) bytes += tensor.data.size();
    if (tensor.name == kEmbedding) bytes += tensor.data.size() / tensor.shape[1];
  }
  return bytes;
}

// Of the KV cache, for each position that the token sees: keys and values as halves, in every layer.
inline std::uint64_t kv_bytes_of_position(std::uint32_t layers, std::uint32_t kv_heads,
                                          std::uint32_t head_width) {
  return std::uint64_t{layers} * 2 * kv_heads * head_width * 2;
}

}  // namespace emberline::testing
