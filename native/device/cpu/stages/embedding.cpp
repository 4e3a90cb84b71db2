#include "device/cpu/packed/packed_matrix.h"
#include "device/cpu/stages/stages.h"

namespace emberline {

void EmbeddingStage::run(const Step& step, Worker&, std::size_t begin, std::size_t end) const {
  const MatrixShape shape{type, vocabulary, width};
  for (std::size_t r = begin; r < end; ++r) {
    const std::uint32_t token = tokens[r + (position_from_step ? step.position : position)];
    if (token >= vocabulary) {
      step.report(ErrorCode::kInvalidArgument);
      continue;
    }
    widen_packed_row(shape, table, token, out + r * std::size_t{width});
  }
}

}  // namespace emberline
