#include "engine/model_outline.h"

#include "base/try.h"
#include "device/cpu/packed/packed_matrix.h"
#include "engine/model_parts.h"

namespace emberline {

Result<ModelOutline> outline(const GgufFile& file) {
  TRY_VALUE(const ModelParts parts, read_layout(file));
  const Hyperparameters& h = parts.hyperparameters;
  TRY_VALUE(const auto tokenizer, read_tokenizer(file, h.vocabulary));
  ModelOutline result;
  for (const GgufTensor& tensor : file.tensors()) {
    const std::uint64_t rows = tensor.shape[1] * tensor.shape[2] * tensor.shape[3];
    result.weight_bytes += tensor.rank == 1 ? tensor.data.size()
                                            : MatrixShape{static_cast<TensorType>(tensor.type_id),
                                                          static_cast<std::size_t>(rows),
                                                          static_cast<std::size_t>(tensor.shape[0])}
                                                  .packed_bytes();
  }
  constexpr std::uint64_t kHalfBytes = 2;
  result.kv_bytes_a_position = std::uint64_t{2} * h.layers * h.kv_width() * kHalfBytes;
  result.context_length = h.context_length;
  result.fim = tokenizer->fim();
  return result;
}

}  // namespace emberline
