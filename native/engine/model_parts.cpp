#include "engine/model_parts.h"

#include <string>
#include <utility>

#include "base/try.h"
#include "engine/model.h"
#include "engine/model_file.h"

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

Result<std::unique_ptr<GgufFile>> open_for_inspection(const std::string& utf8_path) {
  return open_model_file(utf8_path, FolderUse::kLook);
}

Status check_runs(const GgufFile& file) {
  TRY_VALUE(const ModelParts parts, read_layout(file));
  TRY(read_tokenizer(file, parts.hyperparameters.vocabulary));
  return {};
}

}  // namespace emberline
