#include "engine/model_parts.h"

#include <string>
#include <utility>

#include "engine/model.h"

namespace emberline {

Result<ModelParts> read_model_parts(const GgufFile& file) {
  Result<Hyperparameters> hyperparameters = read_hyperparameters(file);
  if (!hyperparameters.ok()) return hyperparameters.error();
  Result<Weights> weights = map_weights(file, hyperparameters.value());
  if (!weights.ok()) return weights.error();
  Result<std::unique_ptr<Tokenizer>> tokenizer = Tokenizer::from_gguf(file);
  if (!tokenizer.ok()) return tokenizer.error();
  if (tokenizer.value()->vocabulary_size() > hyperparameters.value().vocabulary) {
    return Status(ErrorCode::kModelMetadataInvalid,
                  "The model file lists more tokens than it has embeddings for; get another model file.");
  }
  return ModelParts{hyperparameters.value(), std::move(weights).value(), std::move(tokenizer).value()};
}

std::string unsupported_reason(const GgufFile& file) {
  const Result<ModelParts> parts = read_model_parts(file);
  return parts.ok() ? "" : parts.error().message();
}

}  // namespace emberline
