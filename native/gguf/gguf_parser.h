// Reads and checks the bytes of a GGUF file. Internal to the GGUF reader; gguf_file.h is its surface.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "gguf/gguf_file.h"

namespace emberline {

// The views in the contents point into `bytes`. Fails with a code of GgufFile::open other than FILE_*.
Result<GgufContents> parse_gguf(std::span<const std::uint8_t> bytes);

// Order the positions of what is there. MODEL_CORRUPT where a key or a name occurs twice.
Status index_metadata(GgufContents& contents);
Status index_tensors(GgufContents& contents);

}  // namespace emberline
