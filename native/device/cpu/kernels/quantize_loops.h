// Activations to int8 blocks, written once over a vector of kLanes lanes. Included by the kernels_*.cpp
// files alone, behind the `Vector` of their set.
//
// Integers stay floats until they are stored: a block's, and their sums, are below 2^24 and so exact.
#pragma once

#include "device/cpu/kernels/kernel_loops.h"

namespace emberline {
namespace {

constexpr std::size_t kBlockVectors = kBlockElements / kLanes;

// Integers compare as the magnitudes do, with what is not finite above all numbers: a loop of vector code.
inline std::uint32_t largest_magnitude_bits(const float* x, std::size_t n) {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t bits = f32_to_bits(x[i]) & 0x7FFFFFFFu;
    largest = bits > largest ? bits : largest;
  }
  return largest;
}

// Block b of a row, x[kBlockElements], as integers of up to `largest_quant`; its scale and sums go to the
// row.
inline void quantize_block(const float* x, float largest_quant, std::size_t b, const QuantizedRow& to,
                           Lanes (&integers)[kBlockVectors]) {
  const std::uint32_t bits = largest_magnitude_bits(x, kBlockElements);
  const float largest = f32_from_bits(bits);
  const bool finite = bits < 0x7F800000u, is_zero = largest < 1e-30f;
  const Lanes inverse = Vector::set(is_zero ? 0.0f : largest_quant / largest);
  Lanes halves[2] = {Vector::set(0.0f), Vector::set(0.0f)};
  EMBERLINE_UNROLL
  for (std::size_t i = 0; i < kBlockVectors; ++i) {
    integers[i] = Vector::round(Vector::mul(Vector::load(x + i * kLanes), inverse));
    Lanes& half = halves[2 * i / kBlockVectors];
    half = Vector::add(half, integers[i]);
  }
  const float first = finite ? Vector::sum(halves[0]) : 0.0f;
  const float sum = finite ? first + Vector::sum(halves[1]) : 0.0f;
  to.scales[b] = !finite ? f32_from_bits(0x7FC00000u) : is_zero ? 0.0f : largest / largest_quant;
  to.sums[b] = to.scales[b] * sum;
  to.offsets[b] = static_cast<std::int32_t>(-8.0f * sum);
  to.first_offsets[b] = static_cast<std::int32_t>(-8.0f * first);
}

void quantize_row(const float* x, std::size_t n, const QuantizedRow& to) {
  for (std::size_t b = 0; b < n / kBlockElements; ++b, x += kBlockElements) {
    Lanes integers[kBlockVectors];
    quantize_block(x, 127.0f, b, to, integers);
    std::int8_t* quants = to.quants + b * kBlockElements;
    EMBERLINE_UNROLL
    for (std::size_t i = 0; i < kBlockVectors; ++i) Vector::store_bytes(quants + i * kLanes, integers[i]);
  }
}

void quantize_row_fine(const float* x, std::size_t n, const QuantizedRow& to) {
  const Lanes step = Vector::set(kFineStep), inverse_step = Vector::set(1.0f / kFineStep);
  for (std::size_t b = 0; b < n / kBlockElements; ++b, x += kBlockElements) {
    Lanes integers[kBlockVectors];
    quantize_block(x, 127 * kFineStep + 127, b, to, integers);
    EMBERLINE_UNROLL
    for (std::size_t i = 0; i < kBlockVectors; ++i) {
      const Lanes coarse = Vector::round(Vector::mul(integers[i], inverse_step));
      const std::size_t at = b * kBlockElements + i * kLanes;
      Vector::store_bytes(to.quants + at, coarse);
      Vector::store_bytes(to.fine + at, Vector::sub(integers[i], Vector::mul(coarse, step)));
    }
  }
}

}  // namespace
}  // namespace emberline
