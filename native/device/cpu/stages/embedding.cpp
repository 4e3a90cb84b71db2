#include "device/cpu/packed/packed_matrix.h"
#include "device/cpu/stages/stages.h"

namespace emberline {

void EmbeddingStage::run(const Step& step, Worker&, std::size_t begin, std::size_t end) const {
  const MatrixShape shape{type, vocabulary, width};
  for (std::size_t r = begin; r < end; ++r) {
    const std::uint32_t token = tokens[r + position.value_or(step.position)];
    if (token >= vocabulary) {
      step.report(ErrorCode::kInvalidArgument);
      continue;
    }
    float* row = out + r * std::size_t{width};
    widen_packed_row(shape, table, token, row);
    if (scale == 1.0f) continue;
    for (std::size_t i = 0; i < width; ++i) row[i] *= scale;
  }
}

}  // namespace emberline
