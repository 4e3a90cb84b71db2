// Matrices that MLX quantised, in formats that the engine has kernels for.
//
// MLX's affine quantisation: a row is cut into groups; an element is scale * q + bias of its group, the q of
// a row being a stream of `bits` bits each, the first in the lowest bits of the first little-endian u32.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "gguf/tensor_type.h"
#include "safetensors/config_metadata.h"
#include "safetensors/safetensors_header.h"

namespace emberline {

struct MlxMatrix {
  const SafetensorsTensor* weight;  // U32 [rows, columns * bits / 32]
  const SafetensorsTensor* scales;  // F16, BF16 or F32 [rows, columns / groups.width]
  const SafetensorsTensor* biases;  // the same
  MlxGroups groups;
  std::uint64_t rows = 0, columns = 0;
};

// The matrix, its tensors' shapes and types agreeing with each other and with `groups`. MODEL_TENSOR_SHAPE.
Result<MlxMatrix> mlx_matrix(const SafetensorsTensor& weight, const SafetensorsTensor& scales,
                             const SafetensorsTensor& biases, const MlxGroups& groups);

// Q4_1 for 4 bits: a group becomes 1, 2 or 4 blocks with the group's scale and bias as half floats. These are
// the same numbers but below 2^-14, where half floats are multiples of 2^-24. F16 for 6 and 8 bits, each
// element rounded to half: no format has such quants beside a bias.
TensorType engine_type(const MlxGroups& groups);

// Fills `to` (in engine_type's layout). MODEL_TENSOR_TYPE_UNSUPPORTED where a number is not finite as a half.
Status unpack(const MlxMatrix& matrix, std::span<std::uint8_t> to);

}  // namespace emberline
