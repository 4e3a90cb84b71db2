// Batches by their number of rows: those of one class run the same kernels.
#pragma once

#include <cstdint>

namespace emberline::metal {

// Up to 16 rows a weight is decoded once and multiplied with every row; with more, products are of matrices.
enum class RowClass : std::uint8_t { kOne, kTwo, kFour, kEight, kSixteen, kMany };
inline constexpr int kRowClassCount = 6;

constexpr RowClass row_class(std::uint32_t rows) {
  std::uint32_t capacity = 1;
  for (int c = 0; c < kRowClassCount - 1; ++c, capacity *= 2) {
    if (rows <= capacity) return static_cast<RowClass>(c);
  }
  return RowClass::kMany;
}

// The most rows of a class; of kMany, the rows that it begins behind.
constexpr std::uint32_t row_capacity(RowClass rows) {
  return rows == RowClass::kMany ? 16 : 1u << static_cast<int>(rows);
}

}  // namespace emberline::metal
