#include <algorithm>
#include <cmath>

#include "device/cpu/stages/attention_stages.h"

namespace emberline {
namespace {

// Pairs (2i, 2i + 1).
void rotate_adjacent(const float* x, const float* angles, std::size_t pairs, float* out) {
  for (std::size_t i = 0; i < pairs; ++i) {
    const float a = x[2 * i], b = x[2 * i + 1];
    const float cosine = angles[2 * i], sine = angles[2 * i + 1];
    out[2 * i] = a * cosine - b * sine;
    out[2 * i + 1] = a * sine + b * cosine;
  }
}

// Pairs (i, i + pairs).
void rotate_halves(const float* x, const float* angles, std::size_t pairs, float* out) {
  for (std::size_t i = 0; i < pairs; ++i) {
    const float a = x[i], b = x[i + pairs];
    const float cosine = angles[2 * i], sine = angles[2 * i + 1];
    out[i] = a * cosine - b * sine;
    out[i + pairs] = a * sine + b * cosine;
  }
}

void write_halves(const KvRows& rows, const AttentionWorker& scratch, std::size_t kv_head,
                  std::size_t position, const float* value) {
  const std::size_t d = rows.heads.head_width;
  rows.kernels->narrow_to_halves(scratch.row, d, scratch.halves);
  std::uint16_t* key = rows.cache.key_block(kv_head, position) + position % kKeyBlock;
  for (std::size_t i = 0; i < d; ++i) key[i * kKeyBlock] = scratch.halves[i];
  rows.kernels->narrow_to_halves(value, d, rows.cache.value_rows(kv_head, position));
}

void write_quants(const KvRows& rows, const AttentionWorker& scratch, std::size_t kv_head,
                  std::size_t position, const float* value) {
  const std::size_t d = rows.heads.head_width, blocks = kv_blocks(rows.heads.head_width);
  const AttentionKernels& kernels = rows.kernels->attention;
  kernels.quantize_head(scratch.row, d, scratch.quants, scratch.halves);
  const KvPages::Quants keys = rows.cache.key_quants(kv_head, position);
  const std::size_t column = position % kKeyBlock;
  for (std::size_t i = 0; i < d; ++i) keys.quants[i * kKeyBlock + column] = scratch.quants[i];
  for (std::size_t b = 0; b < blocks; ++b) keys.scales[b * kKeyBlock + column] = scratch.halves[b];
  const KvPages::Quants values = rows.cache.value_quants(kv_head, position);
  const std::size_t row = position % kAttentionChunk;
  kernels.quantize_head(value, d, values.quants + row * d, values.scales + row * blocks);
}

}  // namespace

void RopeAngleStage::run(const Step& step, Worker&, std::size_t begin, std::size_t end) const {
  const std::size_t pairs = rotary_width / 2;
  for (std::size_t r = begin; r < end; ++r) {
    const double at = static_cast<double>(r) + position.value_or(step.position);
    float* row = angles.get() + r * rotary_width;
    for (std::size_t i = 0; i < pairs; ++i) {
      const double angle = at * frequencies[i] / (factors != nullptr ? double{factors[i]} : 1.0);
      row[2 * i] = static_cast<float>(std::cos(angle));
      row[2 * i + 1] = static_cast<float>(std::sin(angle));
    }
  }
}

void Rotation::rotate(const float* x, std::size_t row, float* out) const {
  const std::size_t rotary = angles->rotary_width;
  (style == 0 ? rotate_adjacent : rotate_halves)(x, angles->angles.get() + row * rotary, rotary / 2, out);
  if (out != x) std::copy(x + rotary, x + head_width, out + rotary);
}

void KvRows::write(const Step& step, Worker& worker, std::size_t kv_head, std::size_t from,
                   std::size_t to) const {
  const std::size_t d = heads.head_width;
  for (std::size_t r = from; r < to; ++r) {
    const std::size_t position = heads.first_position(step) + r;
    if (!cache.holds(position)) return step.report(ErrorCode::kDeviceFailed);
    const std::size_t element = r * heads.kv_width() + kv_head * d;
    rotation.rotate(k + element, r, worker.attention.row);
    (cache.cache_type == kKvQ8_0 ? write_quants : write_halves)(*this, worker.attention, kv_head, position,
                                                                v + element);
  }
}

std::size_t RopeStage::groups(const Step& step) const {
  const std::size_t first = rows.heads.first_position(step);
  return (first + step.rows - 1) / kPositions - first / kPositions + 1;
}

bool RopeStage::replicated(const Step& step) const {
  return attention != nullptr && attention->splits_by_chunk(step);
}

std::size_t RopeStage::units(const Step& step) const {
  return replicated(step) ? 0 : rows.heads.kv_heads * groups(step);
}

void RopeStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  const HeadShape& heads = rows.heads;
  const std::size_t first = heads.first_position(step);
  for (std::size_t unit = begin; unit < end; ++unit) {
    const std::size_t kv_head = unit / groups(step);
    const std::size_t line = (first / kPositions + unit % groups(step)) * kPositions;
    const std::size_t from = std::max(line, first) - first;
    const std::size_t to = std::min<std::size_t>(line + kPositions - first, step.rows);
    rows.write(step, worker, kv_head, from, to);
    if (q == nullptr) continue;
    for (std::size_t r = from; r < to; ++r) {
      for (std::size_t i = 0; i < heads.group(); ++i) {
        float* head = q + r * heads.query_width() + (kv_head * heads.group() + i) * heads.head_width;
        rows.rotation.rotate(head, r, head);
      }
    }
  }
}

}  // namespace emberline
