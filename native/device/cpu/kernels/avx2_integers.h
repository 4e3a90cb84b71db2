// What the `Integers` of packed_products.h for AVX2 and for AVX-VNNI have in common. Included by
// kernels_avx2.cpp and kernels_avxvnni.cpp alone.
#pragma once

#include <immintrin.h>
#include <string.h>

#include "device/cpu/kernels/avx2_vector.h"

namespace emberline {
namespace {

struct Avx2Integers {
  static constexpr std::size_t kLanes = 8;
  using Ints = __m256i;
  using Floats = __m256;

  static Ints load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  static Ints low_nibbles(Ints v) { return _mm256_and_si256(v, _mm256_set1_epi8(15)); }
  static Ints high_nibbles(Ints v) { return low_nibbles(_mm256_srli_epi16(v, 4)); }
  static Ints or_fifth_bits(Ints nibbles, const std::uint8_t* bits) {
    const __m256i spread = _mm256_shuffle_epi8(
        broadcast_four(bits),
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303));
    const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ull));
    const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
    return _mm256_or_si256(nibbles, _mm256_and_si256(set, _mm256_set1_epi8(16)));
  }
  static Ints flip_sign_bits(Ints v) { return _mm256_xor_si256(v, _mm256_set1_epi8(-128)); }
  static Ints broadcast_four(const void* p) {
    int four;
    memcpy(&four, p, sizeof four);
    return _mm256_set1_epi32(four);
  }
  static Ints set(std::int32_t v) { return _mm256_set1_epi32(v); }
  static Ints add_fine_steps(Ints a, Ints b) {
    static_assert(kFineStep == 255);
    return _mm256_add_epi32(_mm256_sub_epi32(_mm256_slli_epi32(a, 8), a), b);
  }

  static Floats zero_floats() { return _mm256_setzero_ps(); }
  static Floats set_floats(float v) { return _mm256_set1_ps(v); }
  static Floats load_halves(const std::uint16_t* p) { return Vector::load_halves(p); }
  static Floats to_floats(Ints v) { return _mm256_cvtepi32_ps(v); }
  static Floats mul(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
  static Floats fma(Floats a, Floats b, Floats c) { return _mm256_fmadd_ps(a, b, c); }
  static void store(float* p, Floats v) { _mm256_storeu_ps(p, v); }
};

}  // namespace
}  // namespace emberline
