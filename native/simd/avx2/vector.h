// `Vector` (simd/README.md) for AVX2 with FMA and F16C.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace emberline {
namespace {

struct Vector {
  static constexpr std::size_t kLanes = 8;
  using Lanes = __m256;

  static void prefetch(const void* p) { _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0); }
  static Lanes load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, Lanes a) { _mm256_storeu_ps(p, a); }
  // All ones in the first n lanes.
  static __m256i first(std::size_t n) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lane);
  }
  static Lanes load_partial(const float* p, std::size_t n) { return _mm256_maskload_ps(p, first(n)); }
  static void store_partial(float* p, std::size_t n, Lanes a) { _mm256_maskstore_ps(p, first(n), a); }
  static Lanes load_halves(const std::uint16_t* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static void store_halves(std::uint16_t* p, Lanes a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
  }
  static Lanes load_bytes(const std::int8_t* p) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
  }
  static void store_bytes(std::int8_t* p, Lanes a) {
    const __m256i words = _mm256_cvtps_epi32(a);
    const __m128i shorts = _mm_packs_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(shorts, shorts));
  }
  static Lanes load_bf16_first(const std::uint16_t* p) {
    const __m256i pairs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16));
  }
  static Lanes load_bf16_second(const std::uint16_t* p) {
    const __m256i pairs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32(-65536)));
  }
  static Lanes set(float x) { return _mm256_set1_ps(x); }
  static Lanes add(Lanes a, Lanes b) { return _mm256_add_ps(a, b); }
  static Lanes sub(Lanes a, Lanes b) { return _mm256_sub_ps(a, b); }
  static Lanes mul(Lanes a, Lanes b) { return _mm256_mul_ps(a, b); }
  static Lanes div(Lanes a, Lanes b) { return _mm256_div_ps(a, b); }
  static Lanes fma(Lanes a, Lanes b, Lanes c) { return _mm256_fmadd_ps(a, b, c); }
  static Lanes max(Lanes a, Lanes b) { return _mm256_max_ps(a, b); }
  static Lanes min(Lanes a, Lanes b) { return _mm256_min_ps(a, b); }
  static Lanes larger(Lanes a, Lanes b) { return max(a, b); }
  static Lanes round(Lanes a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
  static Lanes truncate(Lanes a) { return _mm256_round_ps(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
  static Lanes power_of_two(Lanes n) {
    const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
    return _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23));
  }
  static Lanes zero_below(Lanes x, float limit, Lanes value) {
    return _mm256_andnot_ps(_mm256_cmp_ps(x, _mm256_set1_ps(limit), _CMP_LT_OQ), value);
  }
  static float sum(Lanes a) {
    const __m128 quads = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    const __m128 pairs = _mm_add_ps(quads, _mm_movehl_ps(quads, quads));
    return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
  }
  static float largest(Lanes a) {
    const __m128 quads = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    const __m128 pairs = _mm_max_ps(quads, _mm_movehl_ps(quads, quads));
    return _mm_cvtss_f32(_mm_max_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
  }

  using Mask = __m256;
  static Mask at_most(Lanes a, Lanes b) { return _mm256_cmp_ps(a, b, _CMP_LE_OQ); }
  static Mask both(Mask a, Mask b) { return _mm256_and_ps(a, b); }
  static std::uint32_t bits(Mask a) { return static_cast<std::uint32_t>(_mm256_movemask_ps(a)); }
};

}  // namespace
}  // namespace emberline
