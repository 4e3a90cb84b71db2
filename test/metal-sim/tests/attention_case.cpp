#include "attention_case.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/half.h"
#include "device/ops.h"

namespace emberline::metal_sim {

AttentionCase::AttentionCase(const AttentionShape& wanted, std::uint64_t seed) : shape(wanted) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  const std::uint32_t length = shape.position + shape.rows;
  const auto page_bytes = static_cast<std::uint32_t>(kv_page_bytes(shape.kv_heads, shape.head_width, kKvF16));
  params = {.position = shape.position,
            .query_heads = shape.kv_heads * shape.heads_per_kv,
            .kv_heads = shape.kv_heads,
            .head_width = shape.head_width,
            .scale = 1.0f / std::sqrt(static_cast<float>(shape.head_width)),
            .context = length,
            .page_stride = page_bytes + 64,
            .window = shape.window,
            .soft_cap = shape.soft_cap};

  const std::uint32_t page_count = kv_page_count(length);
  pages.resize(page_count);
  for (std::uint32_t i = 0; i < page_count; ++i) pages[i] = (page_count - i) % (page_count + 1);
  constexpr std::uint16_t kNaN = 0x7E00;
  const std::size_t halves = std::size_t{page_count + 1} * params.page_stride / 2;
  keys.assign(halves, kNaN);
  values.assign(halves, kNaN);
  const auto random_half = [&] { return f32_to_f16(normal(random)); };
  for (std::uint32_t p = first_seen(0); p < length; ++p) {
    for (std::uint32_t g = 0; g < shape.kv_heads; ++g) {
      for (std::uint32_t i = 0; i < shape.head_width; ++i) {
        keys[entry(p, g) + i] = random_half();
        values[entry(p, g) + i] = random_half();
        largest_value_ = std::max(largest_value_, std::abs(double{f16_to_f32(values[entry(p, g) + i])}));
      }
    }
  }
  q.resize(std::size_t{shape.rows} * params.query_heads * shape.head_width);
  for (float& value : q) value = 2 * normal(random);  // some entries stand out, most do not
  valid_bytes = std::uint64_t{length - first_seen(0)} * shape.kv_heads * shape.head_width * 2;

  for (std::uint32_t r = 0; r < shape.rows; ++r) {
    for (std::uint32_t h = 0; h < params.query_heads; ++h) {
      const float* row = q.data() + (std::size_t{r} * params.query_heads + h) * shape.head_width;
      for (std::uint32_t p = first_seen(r); p <= shape.position + r; p += 17) {
        double sum = 0;
        for (std::uint32_t i = 0; i < shape.head_width; ++i) {
          sum += std::abs(double{row[i]} * f16_to_f32(keys[entry(p, h / shape.heads_per_kv) + i]));
        }
        largest_score_sum_ = std::max(largest_score_sum_, sum * params.scale);
      }
    }
  }
  largest_score_sum_ *= 1.5;  // only every 17th entry was looked at
}

std::size_t AttentionCase::entry(std::uint32_t position, std::uint32_t kv_head) const {
  return std::size_t{pages[position / kKvPagePositions]} * params.page_stride / 2 +
         (std::size_t{position % kKvPagePositions} * shape.kv_heads + kv_head) * shape.head_width;
}

std::uint32_t AttentionCase::first_seen(std::uint32_t row) const {
  const std::uint32_t length = shape.position + row + 1;
  return shape.window != 0 && shape.window < length ? length - shape.window : 0;
}

void AttentionCase::reference_head(std::uint32_t row, std::uint32_t head, double* out) const {
  const std::uint32_t kv_head = head / shape.heads_per_kv, length = shape.position + row + 1;
  const float* query = q.data() + (std::size_t{row} * params.query_heads + head) * shape.head_width;
  const std::uint32_t first = first_seen(row);
  std::vector<double> scores(length - first);
  for (std::uint32_t p = first; p < length; ++p) {
    double& score = scores[p - first];
    for (std::uint32_t i = 0; i < shape.head_width; ++i) {
      score += double{query[i]} * f16_to_f32(keys[entry(p, kv_head) + i]);
    }
    score *= params.scale;
    if (shape.soft_cap != 0) score = shape.soft_cap * std::tanh(score / shape.soft_cap);
  }
  const double largest = *std::max_element(scores.begin(), scores.end());
  double total = 0;
  std::fill(out, out + shape.head_width, 0.0);
  for (std::uint32_t p = first; p < length; ++p) {
    const double weight = std::exp(scores[p - first] - largest);
    total += weight;
    for (std::uint32_t i = 0; i < shape.head_width; ++i) {
      out[i] += weight * f16_to_f32(values[entry(p, kv_head) + i]);
    }
  }
  for (std::uint32_t i = 0; i < shape.head_width; ++i) out[i] /= total;
}

std::vector<double> AttentionCase::reference() const {
  std::vector<double> out(q.size());
  for (std::uint32_t r = 0; r < shape.rows; ++r) {
    for (std::uint32_t h = 0; h < params.query_heads; ++h) {
      reference_head(r, h, out.data() + (std::size_t{r} * params.query_heads + h) * shape.head_width);
    }
  }
  return out;
}

double AttentionCase::tolerance() const {
  const double unit = std::ldexp(1.0, -24);
  // Products add up pairwise in teams: 16 roundings, and that of the scaled query. An exponential is off by 4
  // units of its own; sums of weights round once a block and a merge.
  // A cap changes scores by less than they differ, and its own roundings are of its size: those of an
  // exponential, a quotient and their difference.
  const double score_error = (16 + 2) * unit * largest_score_sum_ + 8 * unit * shape.soft_cap;
  const double roundings =
      8 + std::log2(shape.position + shape.rows + 1.0) + (shape.position + shape.rows) / 64.0;
  return 2 * largest_value_ * (score_error + roundings * unit);
}

}  // namespace emberline::metal_sim
