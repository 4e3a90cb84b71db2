// Requests that hold a text to nothing, and prompts for them.
#pragma once

#include <cstdint>
#include <vector>

#include "decode/generation.h"
#include "toy_decoder.h"

namespace emberline::testing {

inline std::vector<TokenId> prompt_of(const ToyDecoder& decoder, std::uint64_t seed) {
  return random_tokens(6, static_cast<std::uint32_t>(decoder.tokenizer->vocabulary_size()) - 2, seed);
}

inline GenerationRequest free_request(std::uint32_t max_tokens) {
  GenerationRequest request;
  request.max_tokens = max_tokens;
  request.single_line = false;
  request.ban_blank_start = false;
  return request;
}

}  // namespace emberline::testing
