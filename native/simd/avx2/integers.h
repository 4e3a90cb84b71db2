// `IntegerLanes` (simd/README.md) for AVX2.
#pragma once

#include <immintrin.h>
#include <string.h>

#include "simd/avx2/vector.h"

namespace emberline {
namespace {

struct IntegerLanes {
  using Ints = __m256i;

  static Ints load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  static Ints low_nibbles(Ints v) { return _mm256_and_si256(v, _mm256_set1_epi8(15)); }
  static Ints high_nibbles(Ints v) { return low_nibbles(_mm256_srli_epi16(v, 4)); }
  template <char kValue>
  static Ints or_single_bits(Ints weights, const std::uint8_t* bits) {
    const __m256i spread = _mm256_shuffle_epi8(
        broadcast_four(bits),
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303));
    const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ull));
    const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
    return _mm256_or_si256(weights, _mm256_and_si256(set, _mm256_set1_epi8(kValue)));
  }
  // Two more bits above the nibbles: bits 2t and 2t + 1 of each byte. t: 0 to 3.
  static Ints or_upper_bits(Ints nibbles, Ints bits, std::size_t t) {
    const Ints moved = t == 0   ? _mm256_slli_epi16(bits, 4)
                       : t == 1 ? _mm256_slli_epi16(bits, 2)
                       : t == 2 ? bits
                                : _mm256_srli_epi16(bits, 2);
    return _mm256_or_si256(nibbles, _mm256_and_si256(moved, _mm256_set1_epi8(0x30)));
  }
  static Ints repeat_16(const std::int8_t* bytes) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
  }
  static Ints look_up(Ints table, Ints nibbles) { return _mm256_shuffle_epi8(table, nibbles); }
  static Ints flip_sign_bits(Ints v) { return _mm256_xor_si256(v, _mm256_set1_epi8(-128)); }
  static Ints broadcast_four(const void* p) {
    int four;
    memcpy(&four, p, sizeof four);
    return _mm256_set1_epi32(four);
  }
  static Ints set(std::int32_t v) { return _mm256_set1_epi32(v); }
  static Ints multiply_255_add(Ints a, Ints b) {
    return _mm256_add_epi32(_mm256_sub_epi32(_mm256_slli_epi32(a, 8), a), b);
  }
  static Vector::Lanes to_floats(Ints v) { return _mm256_cvtepi32_ps(v); }
};

}  // namespace
}  // namespace emberline
