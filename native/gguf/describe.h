// Text for people about what is in a GGUF file: for `inspect` and for error messages. Never more than a few
// hundred bytes, one line, valid UTF-8, whatever the file holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gguf/gguf_file.h"

namespace emberline {

// `text` in double quotes; quotes, backslashes, control characters and bytes that are not UTF-8 escaped as in
// C. At most `max_bytes` bytes of it, then "...".
std::string quoted(std::string_view text, std::size_t max_bytes = 64);

// `30`, `1e-05`, `true`, `"llama"`, `[49152 strings: "<|endoftext|>", "<|im_start|>", ...]`, `[3 u32: 1, 2,
// 3]`.
std::string describe(const GgufValue& value);

// The name of a GGUF tensor type, with or without kernels here: "Q4_1", "Q6_K"; "type 77" for one not known.
std::string tensor_type_name(std::uint32_t id);

// `576x49152`: the extents of a tensor, fastest first.
std::string shape_text(const GgufTensor& tensor);

}  // namespace emberline
