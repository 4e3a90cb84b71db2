// `Vector` (simd/README.md) for AVX-512 (F, BW, DQ, VL).
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace emberline {
namespace {

struct Vector {
  static constexpr std::size_t kLanes = 16;
  using Lanes = __m512;

  static void prefetch(const void* p) { _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0); }
  static Lanes load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, Lanes a) { _mm512_storeu_ps(p, a); }
  static __mmask16 first(std::size_t n) { return static_cast<__mmask16>((1u << n) - 1u); }  // n lanes
  static Lanes load_partial(const float* p, std::size_t n) { return _mm512_maskz_loadu_ps(first(n), p); }
  static void store_partial(float* p, std::size_t n, Lanes a) { _mm512_mask_storeu_ps(p, first(n), a); }
  static Lanes load_halves(const std::uint16_t* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static void store_halves(std::uint16_t* p, Lanes a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
  }
  static Lanes load_bytes(const std::int8_t* p) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes));
  }
  static void store_bytes(std::int8_t* p, Lanes a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(a)));
  }
  // bf16 is widened, not multiplied by VDPBF16PS (AVX-512 BF16): that would round activations to bf16 as
  // well, and takes Intel's processors twice the time of the two multiply-adds it replaces.
  static Lanes load_bf16_first(const std::uint16_t* p) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_loadu_si512(p), 16));
  }
  static Lanes load_bf16_second(const std::uint16_t* p) {
    return _mm512_castsi512_ps(_mm512_and_si512(_mm512_loadu_si512(p), _mm512_set1_epi32(-65536)));
  }
  static Lanes set(float x) { return _mm512_set1_ps(x); }
  static Lanes add(Lanes a, Lanes b) { return _mm512_add_ps(a, b); }
  static Lanes sub(Lanes a, Lanes b) { return _mm512_sub_ps(a, b); }
  static Lanes mul(Lanes a, Lanes b) { return _mm512_mul_ps(a, b); }
  static Lanes div(Lanes a, Lanes b) { return _mm512_div_ps(a, b); }
  static Lanes fma(Lanes a, Lanes b, Lanes c) { return _mm512_fmadd_ps(a, b, c); }
  static Lanes max(Lanes a, Lanes b) { return _mm512_max_ps(a, b); }
  static Lanes min(Lanes a, Lanes b) { return _mm512_min_ps(a, b); }
  static Lanes larger(Lanes a, Lanes b) { return max(a, b); }
  static Lanes round(Lanes a) {
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  static Lanes truncate(Lanes a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
  static Lanes power_of_two(Lanes n) {
    const __m512i exponent = _mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127));
    return _mm512_castsi512_ps(_mm512_slli_epi32(exponent, 23));
  }
  static Lanes zero_below(Lanes x, float limit, Lanes value) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, _mm512_set1_ps(limit), _CMP_NLT_UQ), value);
  }
  // Halves are added until one lane is left.
  static float sum(Lanes a) {
    const __m256 eighths = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    const __m128 quads = _mm_add_ps(_mm256_castps256_ps128(eighths), _mm256_extractf128_ps(eighths, 1));
    const __m128 pairs = _mm_add_ps(quads, _mm_movehl_ps(quads, quads));
    return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
  }
  static float largest(Lanes a) {
    const __m256 eighths = _mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    const __m128 quads = _mm_max_ps(_mm256_castps256_ps128(eighths), _mm256_extractf128_ps(eighths, 1));
    const __m128 pairs = _mm_max_ps(quads, _mm_movehl_ps(quads, quads));
    return _mm_cvtss_f32(_mm_max_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
  }

  using Mask = __mmask16;
  static Mask at_most(Lanes a, Lanes b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
  static Mask both(Mask a, Mask b) { return static_cast<Mask>(a & b); }
  static std::uint32_t bits(Mask a) { return a; }
};

}  // namespace
}  // namespace emberline
