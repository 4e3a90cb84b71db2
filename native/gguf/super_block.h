// Super-blocks of 256 columns, taken apart into blocks of 32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gguf/tensor_type.h"

namespace emberline {

// With h = c / 16, column c of a part is d * scales[h] * (q - 32) of Q6_K, an eighth of that of Q3_K,
// d * scales[0] * q + m * minima[0] of Q4_K and Q5_K, d * scales[0] * code[q] of IQ4_XS, and
// d * scales[h] * q / 16 + m * minima[h] of Q2_K.
struct SuperBlock {
  static constexpr std::size_t kParts = 8, kPartElements = 32;
  std::uint16_t d, m;  // f16; m: minus what the file has
  struct Part {
    std::int8_t scales[2], minima[2];
    std::uint8_t quants[kPartElements];
  } parts[kParts];
};

// type: one whose block has 256 elements; `from` points to as many bytes as its block has.
SuperBlock take_apart(TensorType type, const std::uint8_t* from);

}  // namespace emberline
