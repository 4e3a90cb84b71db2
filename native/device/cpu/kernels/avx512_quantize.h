// Activations to int8 blocks with AVX-512. Included by kernels_avx512.cpp alone.
#pragma once

#include "simd/avx512/vector.h"

#include "base/half.h"
#include "device/cpu/kernels/kernels.h"

namespace emberline {
namespace {

// A block of x on its way to integers.
struct LoadedBlock {
  __m512 low, high;
  float scale;
  __m512 inverse;
};

// Scale and its inverse for integers of up to `largest_quant`.
inline LoadedBlock load_block(const float* x, float largest_quant) {
  constexpr int kNanOrInfinity = 0x99;  // quiet NaN, both infinities, signalling NaN
  LoadedBlock block;
  block.low = _mm512_loadu_ps(x);
  block.high = _mm512_loadu_ps(x + 16);
  // A maximum of NaN and something is what stands second.
  const __m512 magnitude =
      _mm512_max_ps(_mm512_abs_ps(block.low), _mm512_max_ps(_mm512_abs_ps(block.high), _mm512_setzero_ps()));
  const bool finite = (_mm512_fpclass_ps_mask(block.low, kNanOrInfinity) |
                       _mm512_fpclass_ps_mask(block.high, kNanOrInfinity)) == 0;
  const float largest = Vector::largest(magnitude);
  const bool is_zero = largest < 1e-30f;
  block.scale = !finite ? f32_from_bits(0x7FC00000u) : is_zero ? 0.0f : largest / largest_quant;
  block.inverse = _mm512_set1_ps(is_zero ? 0.0f : largest_quant / largest);
  return block;
}

inline void store_bytes(std::int8_t* to, __m512i low, __m512i high) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtsepi32_epi8(low));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 16), _mm512_cvtsepi32_epi8(high));
}

inline __m256i add_halves(__m512i v) {
  return _mm256_add_epi32(_mm512_castsi512_si256(v), _mm512_extracti32x8_epi32(v, 1));
}

inline void store_sums(const QuantizedRow& to, std::size_t block, float scale, __m512i low, __m512i high) {
  const __m256i pairs = _mm256_hadd_epi32(add_halves(low), add_halves(high));
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
    const __m512i low = _mm512_cvtps_epi32(_mm512_mul_ps(block.low, block.inverse));
    const __m512i high = _mm512_cvtps_epi32(_mm512_mul_ps(block.high, block.inverse));
    store_bytes(to.quants + b * kBlockElements, low, high);
    store_sums(to, b, block.scale, low, high);
  }
}

// q ~ kFineStep * coarse + rest
inline __m512i coarse_part(__m512i q) {
  return _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(q), _mm512_set1_ps(1.0f / kFineStep)));
}
inline __m512i rest_of(__m512i q, __m512i coarse) {
  return _mm512_sub_epi32(q, _mm512_mullo_epi32(coarse, _mm512_set1_epi32(kFineStep)));
}

void quantize_row_fine(const float* x, std::size_t n, const QuantizedRow& to) {
  for (std::size_t b = 0; b < n / kBlockElements; ++b, x += kBlockElements) {
    const LoadedBlock block = load_block(x, 127 * kFineStep + 127);
    const __m512i low = _mm512_cvtps_epi32(_mm512_mul_ps(block.low, block.inverse));
    const __m512i high = _mm512_cvtps_epi32(_mm512_mul_ps(block.high, block.inverse));
    const __m512i coarse_low = coarse_part(low), coarse_high = coarse_part(high);
    store_bytes(to.quants + b * kBlockElements, coarse_low, coarse_high);
    store_bytes(to.fine + b * kBlockElements, rest_of(low, coarse_low), rest_of(high, coarse_high));
    store_sums(to, b, block.scale, low, high);
  }
}

}  // namespace
}  // namespace emberline
