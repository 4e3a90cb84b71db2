#include "engine/model_parts.h"

#include <string>
#include <utility>

#include "base/try.h"

namespace emberline {

Result<std::unique_ptr<Tokenizer>> read_tokenizer(const GgufFile& file, std::uint32_t vocabulary) {
  Result<std::unique_ptr<Tokenizer>> tokenizer = Tokenizer::from_gguf(file);
  if (tokenizer.ok() && tokenizer.value()->vocabulary_size() > vocabulary) {
    return Status(ErrorCode::kModelMetadataInvalid,
                  "The model file lists more tokens than it has embeddings for; get another model file.");
  }
  return tokenizer;
}

Result<ModelParts> read_layout(const GgufFile& file) {
  TRY_VALUE(Hyperparameters hyperparameters, read_hyperparameters(file));
  Result<Weights> weights = map_weights(file, hyperparameters);
  if (!weights.ok()) {
    // Another quantisation of the same model is worth nothing where its tokenizer is refused as well.
    if (weights.error().code() == ErrorCode::kModelTensorTypeUnsupported)
      TRY(read_tokenizer(file, hyperparameters.vocabulary));
    return weights.error();
  }
  return ModelParts{hyperparameters, std::move(weights).value(), nullptr};
}

}  // namespace emberline
