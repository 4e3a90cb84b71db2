// The tokenizer of the model that ships with the extension.
#pragma once

#include <memory>

#include "gguf/gguf_file.h"
#include "tokenizer/tokenizer.h"

namespace emberline::testing {

// Null where the model cannot be read.
inline std::unique_ptr<Tokenizer> load_embedded_tokenizer() {
  auto file = GgufFile::open(EMBERLINE_EMBEDDED_MODEL);
  if (!file.ok()) return nullptr;
  auto tokenizer = Tokenizer::from_gguf(*file.value());
  return tokenizer.ok() ? std::move(tokenizer).value() : nullptr;
}

}  // namespace emberline::testing
