// `Words` (simd/README.md) for AVX-512: the first half is the even lanes, the second the odd ones, each in
// 64 bits, as is multiplied. What lies above the first half is not always zero.
#pragma once

#include "simd/avx512/vector.h"

namespace emberline {
namespace {

struct Words {
  using Lanes = __m512i;
  using Half = __m512i;
  using Longs = __m512i;

  static Lanes bits(Vector::Lanes a) { return _mm512_castps_si512(a); }
  static Vector::Lanes floats(Lanes a) { return _mm512_castsi512_ps(a); }
  static Lanes convert(Vector::Lanes a) { return _mm512_cvttps_epi32(a); }
  template <int bits>
  static Lanes shift_left(Lanes a) {
    return _mm512_slli_epi32(a, bits);
  }
  static Lanes flip_positive(Lanes a) {
    return _mm512_xor_si512(a, _mm512_andnot_si512(_mm512_srai_epi32(a, 31), _mm512_set1_epi32(0x7FFFFFFF)));
  }
  static Lanes upper_halves(Longs first, Longs second) {
    return _mm512_mask_shuffle_epi32(second, 0x5555, first, _MM_PERM_DDBB);
  }
  static std::size_t append_pairs(Lanes upper, std::uint32_t chosen, std::uint32_t first,
                                  std::uint64_t* out) {
    const Longs ids = add(_mm512_set1_epi64(first), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
    const auto append = [](__m256i half, Longs lower, __mmask8 lanes, std::uint64_t* to) {
      const Longs pairs = _mm512_or_si512(_mm512_slli_epi64(_mm512_cvtepu32_epi64(half), 32), lower);
      store(to, _mm512_maskz_compress_epi64(lanes, pairs));  // to memory it would be slow on Zen 4
      return static_cast<std::size_t>(_mm_popcnt_u32(lanes));
    };
    const std::size_t count = append(_mm512_castsi512_si256(upper), ids, static_cast<__mmask8>(chosen), out);
    return count + append(_mm512_extracti64x4_epi64(upper, 1), add(ids, _mm512_set1_epi64(8)),
                          static_cast<__mmask8>(chosen >> 8), out + count);
  }

  static Half set_half(std::uint32_t x) { return _mm512_set1_epi64(x); }
  static Half first(Lanes a) { return a; }
  static Half second(Lanes a) { return widen_second(a); }
  static Half sub(Half a, Half b) { return _mm512_sub_epi64(a, b); }
  template <int bits>
  static Half multiply_shift(Half a, Half b) {
    return _mm512_srli_epi64(_mm512_mul_epu32(a, b), bits);
  }

  static Longs zero() { return _mm512_setzero_si512(); }
  static Longs widen_first(Lanes a) { return _mm512_maskz_mov_epi32(0x5555, a); }
  static Longs widen_second(Lanes a) { return _mm512_srli_epi64(a, 32); }
  static Longs widen(Half a) { return a; }
  static Longs load(const std::uint64_t* p) { return _mm512_loadu_si512(p); }
  static void store(std::uint64_t* p, Longs a) { _mm512_storeu_si512(p, a); }
  static Longs load_partial(const std::uint64_t* p, std::size_t n) {
    return _mm512_maskz_loadu_epi64(lanes_below(n), p);
  }
  static void store_partial(std::uint64_t* p, std::size_t n, Longs a) {
    _mm512_mask_storeu_epi64(p, lanes_below(n), a);
  }
  static Longs add(Longs a, Longs b) { return _mm512_add_epi64(a, b); }
  template <int bits>
  static Longs shift_left_longs(Longs a) {
    return _mm512_slli_epi64(a, bits);
  }
  static Longs shift_right_each(Longs a, Longs by) { return _mm512_srlv_epi64(a, by); }
  static std::uint64_t sum(Longs a) { return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(a)); }

 private:
  static __mmask8 lanes_below(std::size_t n) { return static_cast<__mmask8>((1u << n) - 1u); }
};

}  // namespace
}  // namespace emberline
