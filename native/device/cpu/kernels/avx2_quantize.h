// Activations to int8 blocks with AVX2. Included by the kernels_avx*.cpp files alone.
#pragma once

#include "simd/avx2/vector.h"

#include "device/cpu/kernels/kernels.h"

namespace emberline {
namespace {

// A block of x on its way to integers.
struct LoadedBlock {
  __m256 v[4];
  float scale;
  __m256 inverse;
};

// Scale and its inverse for integers of up to `largest_quant`.
inline LoadedBlock load_block(const float* x, float largest_quant) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  const __m256 zero = _mm256_setzero_ps();
  LoadedBlock block;
  __m256 magnitude = zero, poison = zero;
  for (std::size_t i = 0; i < 4; ++i) {
    block.v[i] = _mm256_loadu_ps(x + 8 * i);
    magnitude = _mm256_max_ps(_mm256_andnot_ps(sign, block.v[i]), magnitude);
    poison = _mm256_fmadd_ps(block.v[i], zero, poison);
  }
  const float largest = Vector::largest(magnitude);
  const bool is_zero = largest < 1e-30f;
  block.scale = (is_zero ? 0.0f : largest / largest_quant) + Vector::sum(poison);
  block.inverse = _mm256_set1_ps(is_zero ? 0.0f : largest_quant / largest);
  return block;
}

inline void store_bytes(std::int8_t* to, const __m256i q[4]) {
  // Packing two vectors of 32-bit integers twice interleaves their halves; this puts them in order again.
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(q[0], q[1]), _mm256_packs_epi32(q[2], q[3]));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(packed, order));
}

inline void store_sums(const QuantizedRow& to, std::size_t block, float scale, const __m256i q[4]) {
  const __m256i pairs = _mm256_hadd_epi32(_mm256_add_epi32(q[0], q[1]), _mm256_add_epi32(q[2], q[3]));
  const __m128i fours = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
  const __m128i sums = _mm_hadd_epi32(fours, fours);
  // Unsigned, because what is not finite became integers that are too large.
  const auto first = static_cast<std::uint32_t>(_mm_cvtsi128_si32(sums));
  const auto sum = first + static_cast<std::uint32_t>(_mm_extract_epi32(sums, 1));
  to.scales[block] = scale;
  to.sums[block] = scale * static_cast<float>(static_cast<std::int32_t>(sum));
  to.offsets[block] = static_cast<std::int32_t>(0u - 8u * sum);
  to.first_offsets[block] = static_cast<std::int32_t>(0u - 8u * first);
}

void quantize_row(const float* x, std::size_t n, const QuantizedRow& to) {
  for (std::size_t b = 0; b < n / kBlockElements; ++b, x += kBlockElements) {
    const LoadedBlock block = load_block(x, 127.0f);
    __m256i q[4];
    for (int i = 0; i < 4; ++i) q[i] = _mm256_cvtps_epi32(_mm256_mul_ps(block.v[i], block.inverse));
    store_bytes(to.quants + b * kBlockElements, q);
    store_sums(to, b, block.scale, q);
  }
}

void quantize_row_fine(const float* x, std::size_t n, const QuantizedRow& to) {
  const __m256 coarse_step = _mm256_set1_ps(1.0f / kFineStep);
  for (std::size_t b = 0; b < n / kBlockElements; ++b, x += kBlockElements) {
    const LoadedBlock block = load_block(x, 127 * kFineStep + 127);
    __m256i q[4], coarse[4], rest[4];
    for (int i = 0; i < 4; ++i) {
      q[i] = _mm256_cvtps_epi32(_mm256_mul_ps(block.v[i], block.inverse));
      coarse[i] = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(q[i]), coarse_step));
      rest[i] = _mm256_sub_epi32(q[i], _mm256_mullo_epi32(coarse[i], _mm256_set1_epi32(kFineStep)));
    }
    store_bytes(to.quants + b * kBlockElements, coarse);
    store_bytes(to.fine + b * kBlockElements, rest);
    store_sums(to, b, block.scale, q);
  }
}

}  // namespace
}  // namespace emberline
