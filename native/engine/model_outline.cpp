#include "engine/model_outline.h"

#include "base/try.h"
#include "device/cpu/packed/packed_matrix.h"
#include "engine/model_parts.h"
#include "model/scratch.h"

namespace emberline {

namespace {

// Of a token, about: its bytes, what finds it by them, and the merges or scores that make it.
constexpr std::uint64_t kTokenBytes = 256;

std::uint64_t packed_bytes(const GgufTensor& tensor) {
  if (tensor.rank == 1) return tensor.data.size();
  const std::uint64_t rows = tensor.shape[1] * tensor.shape[2] * tensor.shape[3];
  return MatrixShape{static_cast<TensorType>(tensor.type_id), static_cast<std::size_t>(rows),
                     static_cast<std::size_t>(tensor.shape[0])}
      .packed_bytes();
}

// The part of a tensor's bytes that one token reads: of experts those it is routed to, of an embedding that
// is not the output matrix as well one row.
std::uint64_t bytes_a_token(const GgufTensor& tensor, std::uint64_t bytes, const Experts& experts,
                            bool tied) {
  if (!tied && tensor.name == "token_embd.weight") return 0;
  if (experts.count > 0 && tensor.name.ends_with("_exps.weight")) return bytes * experts.used / experts.count;
  return bytes;
}

}  // namespace

ModelOutline outline_of(const GgufFile& file, const ModelParts& parts) {
  const Hyperparameters& h = parts.hyperparameters;
  ModelOutline result;
  result.unpacked_bytes = file.memory_bytes();
  const bool tied = file.tensor("output.weight") == nullptr;
  for (const GgufTensor& tensor : file.tensors()) {
    const std::uint64_t bytes = packed_bytes(tensor);
    result.file_weight_bytes += tensor.data.size();
    result.weight_bytes += bytes;
    result.token_bytes += bytes_a_token(tensor, bytes, h.experts, tied);
  }
  for (std::uint32_t type = 0; type < kKvTypes; ++type) {
    for (const KvLayers& layers : kv_layers(h))
      result.kv[type].push_back({kv_page_bytes(layers, h, type) / kKvPagePositions, layers.window});
  }
  result.working_bytes = scratch_bytes(h) + h.vocabulary * kTokenBytes;
  result.context_length = h.context_length;
  if (parts.tokenizer != nullptr) result.fim = parts.tokenizer->fim();
  return result;
}

Result<ModelOutline> outline(const GgufFile& file) {
  TRY_VALUE(ModelParts parts, read_layout(file));
  TRY_VALUE(parts.tokenizer, read_tokenizer(file, parts.hyperparameters.vocabulary));
  return outline_of(file, parts);
}

}  // namespace emberline
