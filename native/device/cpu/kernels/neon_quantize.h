// Activations to int8 blocks with NEON. Included by the kernels_neon*.cpp files alone.
#pragma once

#include "simd/neon/vector.h"

#include "device/cpu/kernels/kernels.h"

namespace emberline {
namespace {

constexpr std::size_t kBlockQuads = kBlockElements / 4;  // registers of 4 floats in a block

// A block of x on its way to integers.
struct LoadedBlock {
  float32x4_t v[kBlockQuads];
  float scale, inverse;
};

// Scale and its inverse for integers of up to `largest_quant`.
inline LoadedBlock load_block(const float* x, float largest_quant) {
  const float32x4_t zero = vdupq_n_f32(0.0f);
  LoadedBlock block;
  float32x4_t magnitude = zero, poison = zero;
  for (std::size_t i = 0; i < kBlockQuads; ++i) {
    block.v[i] = vld1q_f32(x + 4 * i);
    magnitude = vmaxnmq_f32(magnitude, vabsq_f32(block.v[i]));  // of a number and NaN, the number
    poison = vfmaq_f32(poison, block.v[i], zero);
  }
  const float largest = vmaxnmvq_f32(magnitude);
  const bool is_zero = largest < 1e-30f;
  block.scale = (is_zero ? 0.0f : largest / largest_quant) + vaddvq_f32(poison);
  block.inverse = is_zero ? 0.0f : largest_quant / largest;
  return block;
}

// To nearest, ties to even.
inline int32x4_t quantize_quad(const LoadedBlock& block, std::size_t i) {
  return vcvtnq_s32_f32(vmulq_n_f32(block.v[i], block.inverse));
}

inline void store_bytes(std::int8_t* to, const int32x4_t q[kBlockQuads]) {
  for (std::size_t i = 0; i < kBlockQuads; i += 4) {
    const int16x8_t first = vcombine_s16(vqmovn_s32(q[i]), vqmovn_s32(q[i + 1]));
    const int16x8_t second = vcombine_s16(vqmovn_s32(q[i + 2]), vqmovn_s32(q[i + 3]));
    vst1q_s8(to + 4 * i, vcombine_s8(vqmovn_s16(first), vqmovn_s16(second)));
  }
}

// sums: of the first half of the block, and of the second.
inline void store_sums(const QuantizedRow& to, std::size_t block, float scale, const int32x4_t (&sums)[2]) {
  const std::int32_t first = vaddvq_s32(sums[0]), sum = first + vaddvq_s32(sums[1]);
  to.scales[block] = scale;
  to.sums[block] = scale * static_cast<float>(sum);
  to.offsets[block] = -8 * sum;
  to.first_offsets[block] = -8 * first;
}

void quantize_row(const float* x, std::size_t n, const QuantizedRow& to) {
  for (std::size_t b = 0; b < n / kBlockElements; ++b, x += kBlockElements) {
    const LoadedBlock block = load_block(x, 127.0f);
    int32x4_t q[kBlockQuads], sums[2] = {vdupq_n_s32(0), vdupq_n_s32(0)};
    for (std::size_t i = 0; i < kBlockQuads; ++i) {
      q[i] = quantize_quad(block, i);
      int32x4_t& sum = sums[2 * i / kBlockQuads];
      sum = vaddq_s32(sum, q[i]);
    }
    store_bytes(to.quants + b * kBlockElements, q);
    store_sums(to, b, block.scale, sums);
  }
}

void quantize_row_fine(const float* x, std::size_t n, const QuantizedRow& to) {
  for (std::size_t b = 0; b < n / kBlockElements; ++b, x += kBlockElements) {
    const LoadedBlock block = load_block(x, 127 * kFineStep + 127);
    int32x4_t coarse[kBlockQuads], rest[kBlockQuads], sums[2] = {vdupq_n_s32(0), vdupq_n_s32(0)};
    for (std::size_t i = 0; i < kBlockQuads; ++i) {
      const int32x4_t q = quantize_quad(block, i);
      coarse[i] = vcvtnq_s32_f32(vmulq_n_f32(vcvtq_f32_s32(q), 1.0f / kFineStep));
      rest[i] = vmlsq_s32(q, coarse[i], vdupq_n_s32(kFineStep));
      int32x4_t& sum = sums[2 * i / kBlockQuads];
      sum = vaddq_s32(sum, q);
    }
    store_bytes(to.quants + b * kBlockElements, coarse);
    store_bytes(to.fine + b * kBlockElements, rest);
    store_sums(to, b, block.scale, sums);
  }
}

}  // namespace
}  // namespace emberline
