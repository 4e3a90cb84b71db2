// The element types of GGUF tensors that the engine can compute with, and their block layout.
//
// Source: the GGUF specification and ggml's block formats. A quantised row is a sequence of blocks of 32
// elements:
//   Q4_0    f16 d, 16 bytes of nibbles               x = d * (q - 8)
//   Q4_1    f16 d, f16 m, 16 bytes of nibbles        x = d * q + m
//   Q5_0    f16 d, 4 bytes of fifth bits, 16 nibbles x = d * (q - 16)
//   Q5_1    f16 d, f16 m, 4 bytes, 16 nibbles        x = d * q + m
//   Q8_0    f16 d, 32 int8                           x = d * q
//   IQ4_NL  f16 d, 16 bytes of nibbles               x = d * code[q], of a table
//   MXFP4   exponent e, 16 bytes of nibbles          x = 2^(e - 127) * code[q] (OCP Microscaling 1.0)
// Nibbles: element i of a block is the low nibble of byte i for i < 16, the high nibble of byte i - 16
// otherwise.
//
// Or of super-blocks of 256, whose groups of 32 elements (of Q2_K, Q3_K and Q6_K: 16) have scales:
//   Q2_K    scales and minima of 4 bits, f16 d, f16 m            x = d * scale * q - m * min
//   Q3_K    scales of 6 bits, f16 d                              x = d * (scale - 32) * (q - 4)
//   Q4_K    scales and minima of 6 bits, f16 d, f16 m            x = d * scale * q - m * min
//   Q5_K    the same                                             x = d * scale * q - m * min
//   Q6_K    scales of 8 bits, f16 d                              x = d * scale * (q - 32)
//   IQ4_XS  scales of 6 bits, f16 d                              x = d * (scale - 32) * code[q]
// super_block.cpp tells where their bits lie.
#pragma once

#include <cstdint>

namespace emberline {

// Values are GGUF's own type ids.
enum class TensorType : std::uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ2_K = 10,
  kQ3_K = 11,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
  kIQ4_NL = 20,
  kIQ4_XS = 23,
  kBF16 = 30,
  kMXFP4 = 39,
};

struct TensorTypeTraits {
  const char* name = nullptr;        // "Q4_1"
  std::uint32_t block_elements = 0;  // 1, 32 or 256
  std::uint32_t block_bytes = 0;
};

// Null when the engine has no kernels for GGUF type id `id`.
const TensorTypeTraits* tensor_type_traits(std::uint32_t id);
const TensorTypeTraits& traits(TensorType type);
// Of ggml's type id `id`, with kernels or without; null where it is none, or one that was given up.
const char* ggml_type_name(std::uint32_t id);

}  // namespace emberline
