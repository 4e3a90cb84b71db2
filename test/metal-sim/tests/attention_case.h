// Attention over a paged cache: inputs that show a wrong stride, page or length, and the result in double
// precision.
#pragma once

#include <cstdint>
#include <vector>

#include "device/op_params.h"

namespace emberline::metal_sim {

struct AttentionShape {
  std::uint32_t head_width;
  std::uint32_t heads_per_kv;
  std::uint32_t kv_heads;
  std::uint32_t position;  // of row 0
  std::uint32_t rows;
  std::uint32_t window = 0;  // as AttentionParams
  float soft_cap = 0;
};

struct AttentionCase {
  // Pages lie out of order and wider apart than they need; what no row may read is NaN, entries in front of
  // its window too.
  explicit AttentionCase(const AttentionShape& shape, std::uint64_t seed = 1);

  // [rows, query heads * head width] in double precision, from the same halves.
  std::vector<double> reference() const;
  // The same for one query head of one row.
  void reference_head(std::uint32_t row, std::uint32_t head, double* out) const;

  // The largest error that float32 arithmetic explains: a score's error is that of a product of head_width
  // terms, a weight's relative error that of its score, and the result is a weighted mean of values of
  // magnitude `largest_value`.
  double tolerance() const;

  AttentionShape shape;
  AttentionParams params;
  std::vector<float> q;             // [rows, query heads, head width]
  std::vector<std::uint16_t> keys;  // halves; page p at p * page_stride bytes
  std::vector<std::uint16_t> values;
  std::vector<std::uint32_t> pages;
  std::uint64_t valid_bytes;  // of the keys that some row sees, and as many of values

 private:
  std::size_t entry(std::uint32_t position, std::uint32_t kv_head) const;  // index of its first half
  std::uint32_t first_seen(std::uint32_t row) const;                       // position

  double largest_value_ = 0;
  double largest_score_sum_ = 0;  // of |q_i k_i| * scale, over all pairs
};

}  // namespace emberline::metal_sim
