#include <algorithm>
#include <limits>

#include "device/cpu/stages/stages.h"

namespace emberline {
namespace {

// `count` rows of d halves, `stride` apart, as rows of `padded` floats.
void widen_rows(const Kernels& kernels, const std::uint16_t* from, std::size_t stride, std::size_t count,
                std::size_t d, std::size_t padded, float* to) {
  for (std::size_t j = 0; j < count; ++j) {
    kernels.widen_halves(from + j * stride, d, to + j * padded);
    std::fill_n(to + j * padded + d, padded - d, 0.0f);
  }
}

}  // namespace

std::size_t AttentionStage::units(const Step& step) const {
  return params.query_heads * ((step.rows + kAttentionRows - 1) / kAttentionRows);
}

void AttentionStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  const std::size_t d = params.head_width;
  const std::size_t padded = (d + kLanes - 1) / kLanes * kLanes;
  const std::size_t q_width = params.query_heads * d, kv_width = params.kv_heads * d;
  const std::size_t position = position_from_step ? step.position : params.position;
  for (std::size_t unit = begin; unit < end; ++unit) {
    const std::size_t head = unit % params.query_heads;
    const std::size_t first_row = unit / params.query_heads * kAttentionRows;
    const std::size_t rows = std::min<std::size_t>(kAttentionRows, step.rows - first_row);
    const std::size_t kv_offset = head / (params.query_heads / params.kv_heads) * d;

    AttentionState states[kAttentionRows];
    std::fill_n(worker.query, kAttentionRows * padded, 0.0f);
    std::fill_n(worker.accumulator, kAttentionRows * padded, 0.0f);
    for (std::size_t r = 0; r < rows; ++r) {
      states[r] = {-std::numeric_limits<float>::infinity(), 0.0f};
      const float* from = q + (first_row + r) * q_width + head * d;
      for (std::size_t i = 0; i < d; ++i) worker.query[r * padded + i] = from[i] * params.scale;
    }
    const std::size_t longest = position + first_row + rows;  // entries that the last row sees
    for (std::size_t from = 0; from < longest; from += kKeyBlock) {
      const std::size_t entries = std::min(kKeyBlock, longest - from);
      const std::size_t at = from * kv_width + kv_offset;
      widen_rows(*kernels, key_cache + at, kv_width, entries, d, padded, worker.keys);
      widen_rows(*kernels, value_cache + at, kv_width, entries, d, padded, worker.values);
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t seen = position + first_row + r + 1;
        if (seen <= from) continue;
        kernels->attend(worker.query + r * padded, worker.keys, worker.values,
                        std::min(kKeyBlock, seen - from), padded, &states[r],
                        worker.accumulator + r * padded);
      }
    }
    for (std::size_t r = 0; r < rows; ++r) {
      float* to = out + (first_row + r) * q_width + head * d;
      const float scale = 1.0f / states[r].sum;
      for (std::size_t i = 0; i < d; ++i) to[i] = worker.accumulator[r * padded + i] * scale;
    }
  }
}

}  // namespace emberline
