// `Words` (simd/README.md) for AVX2: the first half is the even lanes, the second the odd ones, each in
// 64 bits, as is multiplied. What lies above the first half is not always zero.
#pragma once

#include "simd/avx2/vector.h"

#include "simd/append_chosen.h"

namespace emberline {
namespace {

struct Words {
  using Lanes = __m256i;
  using Half = __m256i;
  using Longs = __m256i;

  static Lanes bits(Vector::Lanes a) { return _mm256_castps_si256(a); }
  static Vector::Lanes floats(Lanes a) { return _mm256_castsi256_ps(a); }
  static Lanes convert(Vector::Lanes a) { return _mm256_cvttps_epi32(a); }
  template <int bits>
  static Lanes shift_left(Lanes a) {
    return _mm256_slli_epi32(a, bits);
  }
  static Lanes flip_positive(Lanes a) {
    return _mm256_xor_si256(a, _mm256_andnot_si256(_mm256_srai_epi32(a, 31), _mm256_set1_epi32(0x7FFFFFFF)));
  }
  static Lanes upper_halves(Longs first, Longs second) {
    return _mm256_blend_epi32(_mm256_srli_epi64(first, 32), second, 0xAA);
  }
  static std::size_t append_pairs(Lanes upper, std::uint32_t chosen, std::uint32_t first,
                                  std::uint64_t* out) {
    const Lanes lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const Lanes lower = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(first)), lane);
    const Longs a = _mm256_unpacklo_epi32(lower, upper);  // of lanes 0, 1, 4 and 5
    const Longs b = _mm256_unpackhi_epi32(lower, upper);
    std::uint64_t pairs[Vector::kLanes];
    store(pairs, _mm256_permute2x128_si256(a, b, 0x20));
    store(pairs + 4, _mm256_permute2x128_si256(a, b, 0x31));
    return append_chosen(pairs, chosen, out);
  }

  static Half set_half(std::uint32_t x) { return _mm256_set1_epi64x(x); }
  static Half first(Lanes a) { return a; }
  static Half second(Lanes a) { return widen_second(a); }
  static Half sub(Half a, Half b) { return _mm256_sub_epi64(a, b); }
  template <int bits>
  static Half multiply_shift(Half a, Half b) {
    return _mm256_srli_epi64(_mm256_mul_epu32(a, b), bits);
  }

  static Longs zero() { return _mm256_setzero_si256(); }
  static Longs widen_first(Lanes a) { return _mm256_blend_epi32(a, zero(), 0xAA); }
  static Longs widen_second(Lanes a) { return _mm256_srli_epi64(a, 32); }
  static Longs widen(Half a) { return a; }
  static Longs load(const std::uint64_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static void store(std::uint64_t* p, Longs a) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a); }
  static Longs load_partial(const std::uint64_t* p, std::size_t n) {
    return _mm256_maskload_epi64(reinterpret_cast<const long long*>(p), lanes_below(n));
  }
  static void store_partial(std::uint64_t* p, std::size_t n, Longs a) {
    _mm256_maskstore_epi64(reinterpret_cast<long long*>(p), lanes_below(n), a);
  }
  static Longs add(Longs a, Longs b) { return _mm256_add_epi64(a, b); }
  template <int bits>
  static Longs shift_left_longs(Longs a) {
    return _mm256_slli_epi64(a, bits);
  }
  static Longs shift_right_each(Longs a, Longs by) { return _mm256_srlv_epi64(a, by); }
  static std::uint64_t sum(Longs a) {
    const __m128i pair = _mm_add_epi64(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_add_epi64(pair, _mm_unpackhi_epi64(pair, pair))));
  }

 private:
  static Longs lanes_below(std::size_t n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<long long>(n)), _mm256_setr_epi64x(0, 1, 2, 3));
  }
};

}  // namespace
}  // namespace emberline
