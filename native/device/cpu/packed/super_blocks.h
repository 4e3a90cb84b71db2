// Super-blocks of 256 columns, taken apart into blocks of 32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/cpu/packed/packed_layout.h"
#include "gguf/tensor_type.h"

namespace emberline {

constexpr std::size_t kColumnBlocks = 8;  // of 32 columns, in a super-block

// Column c is d[c / 16] * (q - 32) of Q3_K and Q6_K, d[0] * q + m[0] of Q4_K and Q5_K, d[0] * code[q] of
// IQ4_XS, d[c / 16] * q + m[c / 16] of Q2_K, whose q are 16 times as large.
struct ColumnBlock {
  std::uint16_t d[2], m[2];  // f16
  std::uint8_t quants[kBlockElements];
};

// type: one whose block has 256 elements; `from` points to as many bytes as its block has. Scales and minima
// are rounded to the nearest half floats.
void take_apart(TensorType type, const std::uint8_t* from, ColumnBlock (&to)[kColumnBlocks]);

}  // namespace emberline
