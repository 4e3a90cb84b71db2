// The header of a SafeTensors file.
//
// The format: u64 length of the header, little-endian; the header, a JSON object from a tensor's name to
// {"dtype", "shape", "data_offsets": [begin, end)}, and "__metadata__"; the data, to which the offsets are
// relative. The tensors fill the data without gaps and without sharing a byte. Extents are slowest first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace emberline {

struct SafetensorsTensor {
  std::string name;
  std::string type;                  // "BF16"
  std::vector<std::uint64_t> shape;  // at most 8 extents; empty for a scalar
  std::span<const std::uint8_t> data;
};

// The tensors of the file `bytes` in the order of their data, each inside `bytes`; `name` is the file's, for
// the sentence. MODEL_TRUNCATED; MODEL_CORRUPT; MODEL_TENSOR_TYPE_UNSUPPORTED for a type whose size is not
// known.
Result<std::vector<SafetensorsTensor>> read_safetensors(std::span<const std::uint8_t> bytes,
                                                        const std::string& name);

}  // namespace emberline
