// norm_qkv_rope on data of its own, and what it should come to in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/half.h"
#include "launch_shapes.h"
#include "paged_test_cache.h"
#include "product_launch.h"
#include "rotation_reference.h"

namespace emberline::testing {

struct QkvShape {
  std::uint32_t width, query_heads, kv_heads, head_width, rotary_width, style;
  bool biases;
};

// Everything norm_qkv_rope reads and writes.
struct QkvCase {
  QkvCase(TensorType type, QkvShape shape, std::uint32_t rows, Random& random)
      : QkvCase(type, type, shape, rows, random) {}
  // Values of another type.
  QkvCase(TensorType type, TensorType value_type, QkvShape shape, std::uint32_t rows, Random& random)
      : shape(shape),
        query(type, shape.query_heads * shape.head_width, shape.width, random),
        key(type, shape.kv_heads * shape.head_width, shape.width, random),
        value(value_type, shape.kv_heads * shape.head_width, shape.width, random),
        x(random.normals(std::size_t{rows} * shape.width)),
        gain(random.normals(shape.width)),
        query_bias(random.normals(query.rows)),
        key_bias(random.normals(key.rows)),
        value_bias(random.normals(value.rows)) {}

  struct Result {
    std::vector<float> q;
    std::vector<std::uint16_t> keys, values;  // rows of the batch
    std::size_t halves_written = 0;
    std::string fault;
    metal_sim::Counters counters;
    bool operator==(const Result& other) const {
      return fault == other.fault && q == other.q && keys == other.keys && values == other.values &&
             halves_written == other.halves_written;
    }
  };

  // Rows first .. first + count, of which row 0 stands at `position`.
  Result run(const std::string& kernel, std::uint32_t position, std::uint32_t first, std::uint32_t count,
             metal_sim::Order order = {}, const metal_sim::Library& library = metal_sim::shipped_kernels()) {
    const std::uint32_t kv_width = shape.kv_heads * shape.head_width;
    PagedTestCache cache(kv_width);
    KernelBuffer<float> x_rows(
        std::vector<float>(x.begin() + first * shape.width, x.begin() + (first + count) * shape.width));
    KernelBuffer<float> gains(gain), bq(query_bias), bk(key_bias), bv(value_bias);
    KernelBuffer<float> q(std::size_t{count} * query.rows);
    KernelRun run(kernel, library);
    run.params(NormQkvRopeParams{.width = shape.width,
                                 .epsilon = 1e-6f,
                                 .q_type = type_id(query.type),
                                 .k_type = type_id(key.type),
                                 .v_type = type_id(value.type),
                                 .position = position + first,
                                 .query_heads = shape.query_heads,
                                 .kv_heads = shape.kv_heads,
                                 .head_width = shape.head_width,
                                 .rotary_width = shape.rotary_width,
                                 .style = shape.style,
                                 .theta = kTheta,
                                 .context = PagedTestCache::kContext,
                                 .page_stride = cache.page_stride});
    run.bind(0, x_rows).bind(1, gains).bind(2, query.bytes).bind(3, key.bytes).bind(4, value.bytes);
    KernelBuffer<float> factor_buffer(factors);
    if (!factors.empty()) run.rope_factors(12, factor_buffer);
    if (shape.biases) run.bind(5, bq).bind(6, bk).bind(7, bv);
    run.bind(8, q).bind(9, cache.keys).bind(10, cache.values).bind(11, cache.pages).has_bias(shape.biases);
    run.mat_vec_grid(rope_pairs(shape.query_heads, shape.kv_heads, shape.head_width), shape.width, count);

    Result result;
    result.fault = run.fault(order, &result.counters);
    result.q = q.copy();
    for (std::uint32_t r = 0; r < count; ++r) {
      const std::size_t at = cache.row_at(position + first + r);
      for (std::uint32_t i = 0; i < kv_width; ++i) {
        result.keys.push_back(cache.keys.values()[at + i]);
        result.values.push_back(cache.values.values()[at + i]);
      }
    }
    result.halves_written = PagedTestCache::written(cache.keys) + PagedTestCache::written(cache.values);
    return result;
  }

  // What a result has wrong, row 0 of which stands at `position`; empty: nothing.
  std::string error_of(const Result& result, std::uint32_t position) const {
    if (!result.fault.empty()) return result.fault;
    const auto rows = static_cast<std::uint32_t>(result.q.size() / query.rows);
    if (result.halves_written != std::size_t{2} * rows * key.rows) return "other cache entries were written";
    const RotationShape rotation{shape.head_width, shape.rotary_width, shape.style, kTheta, factors};
    for (std::uint32_t r = 0; r < rows; ++r) {
      const std::vector<double> normed =
          normalised(std::span(x).subspan(std::size_t{r} * shape.width, shape.width), gain, 1e-6f);
      std::vector<double> q, k, v;
      for (std::uint32_t o = 0; o < query.rows; ++o) q.push_back(result.q[r * query.rows + o]);
      for (std::uint32_t o = 0; o < key.rows; ++o) {
        k.push_back(f16_to_f32(result.keys[r * key.rows + o]));
        v.push_back(f16_to_f32(result.values[r * key.rows + o]));
      }
      const std::string row = " of row " + std::to_string(r);
      for (const std::string& error :
           {section_error(query, normed, query_bias, &rotation, position + r, false, q, "query" + row),
            section_error(key, normed, key_bias, &rotation, position + r, true, k, "key" + row),
            section_error(value, normed, value_bias, nullptr, position + r, true, v, "value" + row)}) {
        if (!error.empty()) return error;
      }
    }
    return "";
  }

  static constexpr float kTheta = 10000.0f;

  QkvShape shape;
  TestMatrix query, key, value;
  std::vector<float> x, gain, query_bias, key_bias, value_bias;
  std::vector<float> factors;  // [rotary_width / 2]; empty: positions are not scaled

 private:
  // One section of one row, `actual`, against products of the normed row, biased and turned.
  std::string section_error(const TestMatrix& matrix, std::span<const double> normed,
                            const std::vector<float>& bias, const RotationShape* rotation,
                            std::uint32_t position, bool halves, std::span<const double> actual,
                            const std::string& name) const {
    std::vector<double> expected(matrix.rows);
    for (std::uint32_t o = 0; o < matrix.rows; ++o) {
      expected[o] = matrix.product(o, normed) + (shape.biases ? bias[o] : 0);
    }
    double largest = 0;
    for (const double element : expected) largest = std::max(largest, std::abs(element));
    if (rotation != nullptr) rotate_row(expected, *rotation, position);
    std::vector<double> tolerances(matrix.rows);
    for (std::uint32_t o = 0; o < matrix.rows; ++o) {
      tolerances[o] = matrix.tolerance(o, normed, mat_vec_roundings(matrix.columns));
    }
    for (std::uint32_t o = 0; o < matrix.rows; ++o) {
      // A rotation mixes two elements, whose tolerances are those of any two rows.
      const std::uint32_t head = rotation != nullptr ? o / rotation->head_width * rotation->head_width : o;
      const std::uint32_t end = rotation != nullptr ? head + rotation->head_width : o + 1;
      double tolerance = *std::max_element(tolerances.begin() + head, tolerances.begin() + end);
      if (rotation != nullptr) tolerance = 2 * tolerance + rotation_tolerance(position, 2 * largest);
      tolerance += largest * 0x1p-23;
      if (halves) tolerance += half_tolerance(expected[o]);
      if (!(std::abs(actual[o] - expected[o]) <= tolerance)) {
        return "element " + std::to_string(o) + " of the " + name + " is " + std::to_string(actual[o]) +
               " instead of " + std::to_string(expected[o]);
      }
    }
    return "";
  }
};

}  // namespace emberline::testing
