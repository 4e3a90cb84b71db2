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
  template <char kValue>
  static Ints or_single_bits(Ints weights, const std::uint8_t* bits) {
    __mmask64 mask;
    memcpy(&mask, bits, sizeof mask);
    return _mm512_mask_add_epi8(weights, mask, weights, _mm512_set1_epi8(kValue));
  }
  // Two more bits above the nibbles: bits 2t and 2t + 1 of each byte. t: 0 to 3.
  static Ints or_upper_bits(Ints nibbles, Ints bits, std::size_t t) {
    const Ints moved = t == 0   ? _mm512_slli_epi16(bits, 4)
                       : t == 1 ? _mm512_slli_epi16(bits, 2)
                       : t == 2 ? bits
                                : _mm512_srli_epi16(bits, 2);
    return _mm512_or_si512(nibbles, _mm512_and_si512(moved, _mm512_set1_epi8(0x30)));
  }
  static Ints repeat_16(const std::int8_t* bytes) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
  }
  static Ints look_up(Ints table, Ints nibbles) { return _mm512_shuffle_epi8(table, nibbles); }
  static Ints flip_sign_bits(Ints v) { return _mm512_xor_si512(v, _mm512_set1_epi8(-128)); }
  static Ints set(std::int32_t v) { return _mm512_set1_epi32(v); }
  static Ints multiply_255_add(Ints a, Ints b) {
    return _mm512_add_epi32(_mm512_sub_epi32(_mm512_slli_epi32(a, 8), a), b);
  }
  static Vector::Lanes to_floats(Ints v) { return _mm512_cvtepi32_ps(v); }
};

}  // namespace
}  // namespace emberline
