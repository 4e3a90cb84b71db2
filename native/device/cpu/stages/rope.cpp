#include <cmath>

#include "device/cpu/stages/stages.h"

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

}  // namespace

void RopeAngleStage::run(const Step& step, Worker&, std::size_t begin, std::size_t end) const {
  const std::size_t pairs = rotary_width / 2;
  for (std::size_t r = begin; r < end; ++r) {
    const double at = static_cast<double>(r) + (offset_by_step ? step.position : position);
    float* row = angles.get() + r * rotary_width;
    for (std::size_t i = 0; i < pairs; ++i) {
      row[2 * i] = static_cast<float>(std::cos(at * frequencies[i]));
      row[2 * i + 1] = static_cast<float>(std::sin(at * frequencies[i]));
    }
  }
}

void RopeStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  const std::size_t d = params.head_width;
  const std::size_t q_width = params.query_heads * d, kv_width = params.kv_heads * d;
  const auto rotate = params.style == 0 ? rotate_adjacent : rotate_halves;
  const std::size_t pairs = params.rotary_width / 2;
  for (std::size_t r = begin; r < end; ++r) {
    const float* row_angles = angles->angles.get() + r * params.rotary_width;
    const std::size_t cache_row = r + (position_from_step ? step.position : params.position);
    for (std::size_t head = 0; head < params.query_heads; ++head) {
      float* x = q + r * q_width + head * d;
      rotate(x, row_angles, pairs, x);
    }
    for (std::size_t head = 0; head < params.kv_heads; ++head) {
      const float* x = k + r * kv_width + head * d;
      float* rotated = worker.query;
      rotate(x, row_angles, pairs, rotated);
      for (std::size_t i = params.rotary_width; i < d; ++i) rotated[i] = x[i];
      kernels->narrow_to_halves(rotated, d, key_cache + cache_row * kv_width + head * d);
    }
    kernels->narrow_to_halves(v + r * kv_width, kv_width, value_cache + cache_row * kv_width);
  }
}

}  // namespace emberline
