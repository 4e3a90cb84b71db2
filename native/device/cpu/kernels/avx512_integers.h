// `Integers` of packed_products.h for AVX-512 with VNNI. Included by kernels_avx512.cpp alone.
#pragma once

#include <immintrin.h>
#include <string.h>

#include "device/cpu/kernels/avx512_vector.h"

namespace emberline {
namespace {

struct Integers {
  static constexpr std::size_t kLanes = 16;
  static constexpr bool kSignedBytes = false;
  // 12 chains keep two multipliers with a latency of 5 busy; 12 sums, 12 dot products, weights and what is
  // broadcast fit 32 registers.
  static constexpr std::size_t kMostRows = 12;
  using Ints = __m512i;
  using Floats = __m512;
  using Dot = __m512i;

  static Ints load(const void* p) { return _mm512_loadu_si512(p); }
  static Ints low_nibbles(Ints v) { return _mm512_and_si512(v, _mm512_set1_epi8(15)); }
  static Ints high_nibbles(Ints v) { return low_nibbles(_mm512_srli_epi16(v, 4)); }
  static Ints or_fifth_bits(Ints nibbles, const std::uint8_t* bits) {
    __mmask64 mask;
    memcpy(&mask, bits, sizeof mask);
    return _mm512_mask_add_epi8(nibbles, mask, nibbles, _mm512_set1_epi8(16));
  }
  static Ints flip_sign_bits(Ints v) { return _mm512_xor_si512(v, _mm512_set1_epi8(-128)); }

  static Dot begin(Ints start) { return start; }
  static Ints end(Dot dot) { return dot; }
  template <int kBits>
  static void add(Dot& dot, std::size_t, Ints weights, const std::int8_t* x) {
#if defined(__GNUC__) && !defined(__clang__)
    // GCC 12 would broadcast to a register first: one instruction in two more, and the front end is what
    // limits large batches.
    const auto* four = reinterpret_cast<const std::int8_t(*)[4]>(x);
    asm("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(dot) : "v"(weights), "m"(*four));
#else
    int four;
    memcpy(&four, x, sizeof four);
    dot = _mm512_dpbusd_epi32(dot, weights, _mm512_set1_epi32(four));
#endif
  }
  static Ints set(std::int32_t v) { return _mm512_set1_epi32(v); }
  static Ints add_fine_steps(Ints a, Ints b) {
    static_assert(kFineStep == 255);
    return _mm512_add_epi32(_mm512_sub_epi32(_mm512_slli_epi32(a, 8), a), b);
  }

  static Floats zero_floats() { return _mm512_setzero_ps(); }
  static Floats set_floats(float v) { return _mm512_set1_ps(v); }
  static Floats load_halves(const std::uint16_t* p) { return Vector::load_halves(p); }
  static Floats to_floats(Ints v) { return _mm512_cvtepi32_ps(v); }
  static Floats mul(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
  static Floats fma(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
  static void store(float* p, Floats v) { _mm512_storeu_ps(p, v); }
};

}  // namespace
}  // namespace emberline
