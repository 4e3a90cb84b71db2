// Rotary embedding in double precision.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace emberline::testing {

struct RotationShape {
  std::uint32_t head_width, rotary_width, style;  // as in RopeKvWriteParams
  float theta;
  std::vector<float> factors = {};  // by which angles are divided; empty: all 1
};

// Rotates every head of a row in place.
inline void rotate_row(std::vector<double>& row, const RotationShape& shape, std::uint32_t position) {
  const std::uint32_t half = shape.rotary_width / 2;
  for (std::size_t head = 0; head < row.size(); head += shape.head_width) {
    for (std::uint32_t i = 0; i < half; ++i) {
      const double angle = position * std::pow(double{shape.theta}, -2.0 * i / shape.rotary_width) /
                           (shape.factors.empty() ? 1.0 : shape.factors[i]);
      double& a = row[head + (shape.style == 0 ? 2 * i : i)];
      double& b = row[head + (shape.style == 0 ? 2 * i + 1 : i + half)];
      const double rotated_a = a * std::cos(angle) - b * std::sin(angle);
      b = a * std::sin(angle) + b * std::cos(angle);
      a = rotated_a;
    }
  }
}

// How far a rotation's angle may be off in float32 (metal/rope.h), times the size of what it turns.
inline double rotation_tolerance(std::uint32_t position, double size) {
  return (position * 1e-6 + 0x1p-21) * size;
}

// What rounding to a half may add.
inline double half_tolerance(double value) {
  return std::abs(value) * 0x1p-11 + 0x1p-25;
}

}  // namespace emberline::testing
