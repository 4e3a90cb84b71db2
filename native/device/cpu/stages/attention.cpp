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

// One query head of one row.
struct Query {
  std::size_t row, head;
};

std::size_t padded_width(std::size_t d) {
  return (d + kLanes - 1) / kLanes * kLanes;
}

}  // namespace

// A single row is split by query head. A batch is split by key/value head and runs of rows, and the queries
// of a unit share each block of the cache, widened once; they are computed one by one all the same, so both
// splits give the same bits.
struct AttentionStage::Unit {
  Query queries[kAttentionQueries];
  std::size_t count = 0;
  std::size_t kv_head = 0;
};

std::size_t AttentionStage::run_rows() const {
  return std::max<std::size_t>(1, std::min<std::size_t>(16, kAttentionQueries / heads_per_kv_head()));
}

std::size_t AttentionStage::units(const Step& step) const {
  if (step.rows == 1 || heads_per_kv_head() > kAttentionQueries)
    return std::size_t{step.rows} * params.query_heads;
  return params.kv_heads * ((step.rows + run_rows() - 1) / run_rows());
}

AttentionStage::Unit AttentionStage::unit(const Step& step, std::size_t index) const {
  Unit unit;
  if (step.rows == 1 || heads_per_kv_head() > kAttentionQueries) {
    const std::size_t head = index % params.query_heads;
    unit.queries[unit.count++] = {index / params.query_heads, head};
    unit.kv_head = head / heads_per_kv_head();
    return unit;
  }
  unit.kv_head = index % params.kv_heads;
  const std::size_t first_row = index / params.kv_heads * run_rows();
  for (std::size_t row = first_row; row < std::min<std::size_t>(first_row + run_rows(), step.rows); ++row) {
    for (std::size_t i = 0; i < heads_per_kv_head(); ++i) {
      unit.queries[unit.count++] = {row, unit.kv_head * heads_per_kv_head() + i};
    }
  }
  return unit;
}

void AttentionStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  for (std::size_t index = begin; index < end; ++index) run_unit(step, worker, unit(step, index));
}

void AttentionStage::run_unit(const Step& step, Worker& worker, const Unit& unit) const {
  const std::size_t d = params.head_width;
  const std::size_t padded = padded_width(d);
  const std::size_t q_width = params.query_heads * d, kv_width = params.kv_heads * d;
  const std::size_t position = position_from_step ? step.position : params.position;

  AttentionState states[kAttentionQueries];
  std::fill_n(worker.query, unit.count * padded, 0.0f);
  std::fill_n(worker.accumulator, unit.count * padded, 0.0f);
  for (std::size_t i = 0; i < unit.count; ++i) {
    states[i] = {-std::numeric_limits<float>::infinity(), 0.0f};
    const float* from = q + unit.queries[i].row * q_width + unit.queries[i].head * d;
    for (std::size_t j = 0; j < d; ++j) worker.query[i * padded + j] = from[j] * params.scale;
  }
  const std::size_t longest =
      position + unit.queries[unit.count - 1].row + 1;  // entries that the last query sees
  for (std::size_t from = 0; from < longest; from += kKeyBlock) {
    const std::size_t entries = std::min(kKeyBlock, longest - from);
    const std::uint16_t* keys = key_cache + from * kv_width + unit.kv_head * d;
    const std::uint16_t* values = value_cache + from * kv_width + unit.kv_head * d;
    if (unit.count == 1 && d == padded) {
      kernels->attend_halves(worker.query, keys, values, kv_width, entries, d, &states[0],
                             worker.accumulator);
      continue;
    }
    widen_rows(*kernels, keys, kv_width, entries, d, padded, worker.keys);
    widen_rows(*kernels, values, kv_width, entries, d, padded, worker.values);
    for (std::size_t i = 0; i < unit.count; ++i) {
      const std::size_t seen = position + unit.queries[i].row + 1;
      if (seen <= from) continue;
      kernels->attend(worker.query + i * padded, worker.keys, worker.values, padded,
                      std::min(kKeyBlock, seen - from), padded, &states[i], worker.accumulator + i * padded);
    }
  }
  for (std::size_t i = 0; i < unit.count; ++i) {
    float* to = out + unit.queries[i].row * q_width + unit.queries[i].head * d;
    const float scale = 1.0f / states[i].sum;
    for (std::size_t j = 0; j < d; ++j) to[j] = worker.accumulator[i * padded + j] * scale;
  }
}

}  // namespace emberline
