// Reads and checks the bytes of a GGUF file. Internal to the GGUF reader; gguf_file.h is its surface.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "gguf/gguf_file.h"

namespace emberline {

struct GgufContents {
  std::uint32_t version = 0;
  std::vector<GgufMetadata> metadata;  // in the order of the file
  std::vector<GgufTensor> tensors;     // in the order of the file
  // Positions in the two above, ordered by key and by name.
  std::vector<std::uint32_t> metadata_by_key;
  std::vector<std::uint32_t> tensors_by_name;
};

// The views in the contents point into `bytes`. Fails with a code of GgufFile::open other than FILE_*.
Result<GgufContents> parse_gguf(std::span<const std::uint8_t> bytes);

}  // namespace emberline
