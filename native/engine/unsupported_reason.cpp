#include <memory>
#include <string>

#include "engine/model.h"
#include "gguf/gguf_file.h"
#include "model/hyperparameters.h"
#include "model/weights.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

std::string unsupported_reason(const GgufFile& file) {
  const Result<Hyperparameters> hyperparameters = read_hyperparameters(file);
  if (!hyperparameters.ok()) return hyperparameters.error().message();
  const Result<Weights> weights = map_weights(file, hyperparameters.value());
  if (!weights.ok()) return weights.error().message();
  const Result<std::unique_ptr<Tokenizer>> tokenizer = Tokenizer::from_gguf(file);
  if (!tokenizer.ok()) return tokenizer.error().message();
  return "";
}

}  // namespace emberline
