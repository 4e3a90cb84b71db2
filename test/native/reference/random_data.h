// Reproducible test data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gguf/tensor_type.h"

namespace emberline::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}

  std::uint32_t bits();
  double uniform();  // [0, 1)
  float normal();    // nearly: a sum of eight uniform numbers, of mean 0 and variance 1
  std::vector<float> normals(std::size_t count, float scale = 1.0f);

 private:
  std::uint64_t next();

  std::uint64_t state_;
};

inline constexpr TensorType kWeightTypes[] = {
    TensorType::kF32,  TensorType::kF16,    TensorType::kBF16,   TensorType::kQ4_0,
    TensorType::kQ4_1, TensorType::kQ5_0,   TensorType::kQ5_1,   TensorType::kQ8_0,
    TensorType::kQ2_K, TensorType::kQ3_K,   TensorType::kQ4_K,   TensorType::kQ5_K,
    TensorType::kQ6_K, TensorType::kIQ4_NL, TensorType::kIQ4_XS, TensorType::kMXFP4};

// Those of which 64 columns are whole blocks, for tables that are as narrow.
inline constexpr TensorType kNarrowWeightTypes[] = {
    TensorType::kF32,  TensorType::kF16,  TensorType::kBF16,   TensorType::kQ4_0,  TensorType::kQ4_1,
    TensorType::kQ5_0, TensorType::kQ5_1, TensorType::kIQ4_NL, TensorType::kMXFP4, TensorType::kQ8_0};

// `width`, or the next larger one of whole blocks.
template <typename Size>
Size whole_blocks(TensorType type, Size width) {
  const auto block = static_cast<Size>(traits(type).block_elements);
  return (width + block - 1) / block * block;
}

// A matrix of `rows` rows of `width` elements in GGUF's layout: elements of about unit size, every quant
// value in use.
std::vector<std::uint8_t> random_weights(TensorType type, std::size_t rows, std::size_t width,
                                         Random& random);

std::string type_name(TensorType type);

}  // namespace emberline::testing
