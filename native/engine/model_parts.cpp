#include "engine/model_parts.h"

#include <string>
#include <utility>

#include "base/try.h"
#include "engine/model.h"

namespace emberline {

Result<ModelParts> read_layout(const GgufFile& file) {
  TRY_VALUE(Hyperparameters hyperparameters, read_hyperparameters(file));
  TRY_VALUE(Weights weights, map_weights(file, hyperparameters));
  return ModelParts{hyperparameters, std::move(weights), nullptr};
}

Result<std::unique_ptr<Tokenizer>> read_tokenizer(const GgufFile& file, std::uint32_t vocabulary) {
  Result<std::unique_ptr<Tokenizer>> tokenizer = Tokenizer::from_gguf(file);
  if (tokenizer.ok() && tokenizer.value()->vocabulary_size() > vocabulary) {
    return Status(ErrorCode::kModelMetadataInvalid,
                  "The model file lists more tokens than it has embeddings for; get another model file.");
  }
  return tokenizer;
}

std::string unsupported_reason(const GgufFile& file) {
  const Result<ModelParts> parts = read_layout(file);
  if (!parts.ok()) return parts.error().message();
  const auto tokenizer = read_tokenizer(file, parts.value().hyperparameters.vocabulary);
  return tokenizer.ok() ? "" : tokenizer.error().message();
}

}  // namespace emberline
