// `IntegerLanes` (simd/README.md) for AVX-512.
#pragma once

#include <immintrin.h>
#include <string.h>

#include "simd/avx512/vector.h"

namespace emberline {
namespace {

struct IntegerLanes {
  using Ints = __m512i;

  static Ints load(const void* p) { return _mm512_loadu_si512(p); }
  static Ints low_nibbles(Ints v) { return _mm512_and_si512(v, _mm512_set1_epi8(15)); }
  static Ints high_nibbles(Ints v) { return low_nibbles(_mm512_srli_epi16(v, 4)); }
  static Ints or_fifth_bits(Ints nibbles, const std::uint8_t* bits) {
    __mmask64 mask;
    memcpy(&mask, bits, sizeof mask);
    return _mm512_mask_add_epi8(nibbles, mask, nibbles, _mm512_set1_epi8(16));
  }
  static Ints flip_sign_bits(Ints v) { return _mm512_xor_si512(v, _mm512_set1_epi8(-128)); }
  static Ints set(std::int32_t v) { return _mm512_set1_epi32(v); }
  static Ints multiply_255_add(Ints a, Ints b) {
    return _mm512_add_epi32(_mm512_sub_epi32(_mm512_slli_epi32(a, 8), a), b);
  }
  static Vector::Lanes to_floats(Ints v) { return _mm512_cvtepi32_ps(v); }
};

}  // namespace
}  // namespace emberline
