// What a model file holds, read and checked without its weights being touched. Internal to engine/.
#pragma once

#include <memory>

#include "base/status.h"
#include "gguf/gguf_file.h"
#include "model/hyperparameters.h"
#include "model/weights.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

struct ModelParts {
  Hyperparameters hyperparameters;
  Weights weights;
  std::unique_ptr<Tokenizer> tokenizer;
};

// Everything that can be wrong with a file is found here: loading and inspecting give the same verdict.
//
// All but the tokenizer, which is null.
Result<ModelParts> read_layout(const GgufFile& file);
// `vocabulary`: of the model's embeddings.
Result<std::unique_ptr<Tokenizer>> read_tokenizer(const GgufFile& file, std::uint32_t vocabulary);

}  // namespace emberline
