// Heads of keys and values as kKvQ8_0 (op_params.h) keeps them. Included by attention_loops.h alone.
#pragma once

#include "device/cpu/kernels/attention_kernels.h"
#include "device/cpu/kernels/quantize_loops.h"

namespace emberline {
namespace {

constexpr std::size_t quant_blocks(std::size_t width) {
  return (width + kQuantBlock - 1) / kQuantBlock;
}

// A key block [width, kKeyBlock]: element i of the kLanes keys from j on.
struct QuantKeys {
  const std::int8_t* quants;
  const float* scales;  // [blocks, kKeyBlock]
  Lanes load(std::size_t i, std::size_t j) const {
    return Vector::mul(Vector::load_bytes(quants + i * kKeyBlock + j),
                       Vector::load(scales + i / kQuantBlock * kKeyBlock + j));
  }
};

// Values of a chunk [kAttentionChunk, width]: the kLanes elements from i on of position j.
struct QuantValues {
  const std::int8_t* quants;
  const float* scales;  // [kAttentionChunk, blocks]
  std::size_t width, blocks;
  Lanes load(std::size_t j, std::size_t i) const {
    return Vector::mul(Vector::load_bytes(quants + j * width + i),
                       Vector::set(scales[j * blocks + i / kQuantBlock]));
  }
  const std::int8_t* row(std::size_t j) const { return quants + j * width; }
};

// The least half that is not below `x` >= 0.
inline std::uint16_t half_not_below(float x) {
  const std::uint16_t half = f32_to_f16(x);
  return static_cast<std::uint16_t>(half + (f16_to_f32(half) < x ? 1 : 0));
}

void quantize_head(const float* x, std::size_t width, std::int8_t* quants, std::uint16_t* scales) {
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: leaves the nearest integer in the low bits of a sum
  for (std::size_t first = 0; first < width; first += kQuantBlock) {
    const std::size_t n = width - first < kQuantBlock ? width - first : kQuantBlock;
    const std::uint32_t largest = largest_magnitude_bits(x + first, n);
    const bool finite = largest < 0x7F800000u;
    const std::uint16_t scale = finite ? half_not_below(f32_from_bits(largest) / 127.0f) : 0x7E00u;
    scales[first / kQuantBlock] = scale;
    const float inverse = finite && scale != 0 ? 1.0f / f16_to_f32(scale) : 0.0f;
    for (std::size_t i = first; i < first + n; ++i) {
      const float product = x[i] * inverse;
      quants[i] = static_cast<std::int8_t>(f32_to_bits(product + kRound) & 0xFFu);
    }
  }
}

void widen_key_quants(const std::int8_t* quants, const float* scales, std::size_t width, float* keys) {
  const QuantKeys from{quants, scales};
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j < kKeyBlock; j += kLanes)
      Vector::store(keys + i * kKeyBlock + j, from.load(i, j));
  }
}

void widen_value_quants(const std::int8_t* quants, const float* scales, std::size_t count, std::size_t width,
                        float* values, std::size_t stride) {
  const QuantValues from{quants, scales, width, quant_blocks(width)};
  for (std::size_t j = 0; j < count; ++j) {
    float* to = values + j * stride;
    std::size_t i = 0;
    for (; i + kLanes <= width; i += kLanes) Vector::store(to + i, from.load(j, i));
    for (; i < width; ++i)
      to[i] = static_cast<float>(quants[j * width + i]) * scales[j * from.blocks + i / kQuantBlock];
    for (; i < stride; ++i) to[i] = 0.0f;
  }
}

}  // namespace
}  // namespace emberline
