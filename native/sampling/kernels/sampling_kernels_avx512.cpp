// The kernel set for AVX-512 (F, BW, DQ, VL). Built with those flags, see CMakeLists.txt; sampling_kernels.h
// has the rules.
#include <float.h>
#include <immintrin.h>

#include "sampling/kernels/sampling_kernels.h"
#include "sampling/mass_polynomial.h"

namespace emberline {
namespace {

// upper_product(f, c) of the low halves of eight 64-bit lanes.
__m512i upper_product(__m512i f, __m512i c) {
  return _mm512_srli_epi64(_mm512_mul_epu32(f, c), 32);
}

// mass_of for eight 64-bit lanes: `fraction` in the low half, whatever the upper one holds; `order` < 64.
__m512i mass_of(__m512i fraction, __m512i order) {
  const auto constant = [](std::uint32_t c) { return _mm512_set1_epi64(c); };
  __m512i sum =
      _mm512_sub_epi64(constant(kMassPolynomial4), upper_product(fraction, constant(kMassPolynomial5)));
  sum = _mm512_sub_epi64(constant(kMassPolynomial3), upper_product(fraction, sum));
  sum = _mm512_sub_epi64(constant(kMassPolynomial2), upper_product(fraction, sum));
  sum = _mm512_sub_epi64(constant(kMassPolynomial1), upper_product(fraction, sum));
  sum = _mm512_sub_epi64(constant(kMassPolynomial0), upper_product(fraction, sum));
  const __m512i half = _mm512_srli_epi64(_mm512_mul_epu32(fraction, sum), 33);
  const __m512i power = _mm512_sub_epi64(constant(0x80000000u), half);
  return _mm512_srlv_epi64(_mm512_slli_epi64(power, kMassBits - 31), order);
}

// The distance d / T / log 2 as mass_exponent has it, apart: whole binary orders, and a fraction of 32 bits.
// What has no mass counts as 60 orders.
struct Exponents {
  __m512i orders, fractions;
  Exponents(__m512 logits, __m512 largest, __m512 scale) {
    const __m512 x = _mm512_min_ps(_mm512_mul_ps(_mm512_sub_ps(largest, logits), scale), _mm512_set1_ps(60));
    const __m512 whole = _mm512_roundscale_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __m512 fraction = _mm512_mul_ps(_mm512_sub_ps(x, whole), _mm512_set1_ps(1 << kMassFractionBits));
    orders = _mm512_cvttps_epi32(x);
    fractions = _mm512_slli_epi32(_mm512_cvttps_epi32(fraction), 32 - kMassFractionBits);
  }
};

struct Vector {
  static constexpr std::size_t kLanes = 16;
  using Lanes = __m512;

  static Lanes load(const float* p) { return _mm512_loadu_ps(p); }
  static Lanes max(Lanes a, Lanes b) { return _mm512_max_ps(a, b); }
  static float largest(Lanes a) {
    const __m256 eighths = _mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    const __m128 quads = _mm_max_ps(_mm256_castps256_ps128(eighths), _mm256_extractf128_ps(eighths, 1));
    const __m128 pairs = _mm_max_ps(quads, _mm_movehl_ps(quads, quads));
    return _mm_cvtss_f32(_mm_max_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
  }

  class Finite {
   public:
    void note(Lanes a) { not_ |= _mm512_cmp_ps_mask(a, _mm512_set1_ps(FLT_MAX), _CMP_NLE_UQ); }
    bool all() const { return not_ == 0; }

   private:
    __mmask16 not_ = 0;
  };

  class MassSum {
   public:
    MassSum(float largest, float scale) : largest_(_mm512_set1_ps(largest)), scale_(_mm512_set1_ps(scale)) {}
    void add(Lanes a) {
      const Exponents x(a, largest_, scale_);
      even_ = _mm512_add_epi64(even_, mass_of(x.fractions, _mm512_maskz_mov_epi32(0x5555, x.orders)));
      odd_ = _mm512_add_epi64(odd_,
                              mass_of(_mm512_srli_epi64(x.fractions, 32), _mm512_srli_epi64(x.orders, 32)));
    }
    std::uint64_t total() const { return sum_of(_mm512_add_epi64(even_, odd_)); }
    static std::uint64_t sum_of(__m512i lanes) {
      return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(lanes));
    }

   private:
    __m512 largest_, scale_;
    __m512i even_ = _mm512_setzero_si512(), odd_ = _mm512_setzero_si512();
  };

  static std::size_t append(Lanes a, float least, std::uint32_t first, std::uint64_t* out) {
    const __mmask16 chosen = _mm512_cmp_ps_mask(a, _mm512_set1_ps(least), _CMP_GE_OQ);
    if (chosen == 0) return 0;
    // ~logit_key: the bits of a negative number, all but the sign inverted of another; -0 + 0 is 0.
    const __m512i bits = _mm512_castps_si512(_mm512_add_ps(a, _mm512_setzero_ps()));
    const __m512i positive = _mm512_andnot_si512(_mm512_srai_epi32(bits, 31), _mm512_set1_epi32(0x7FFFFFFF));
    const __m512i words = _mm512_xor_si512(bits, positive);
    const __m512i ids = _mm512_add_epi64(_mm512_set1_epi64(first), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
    const auto write = [](__m256i half, __m512i tokens, __mmask8 lanes, std::uint64_t* to) {
      const __m512i keys = _mm512_or_si512(_mm512_slli_epi64(_mm512_cvtepu32_epi64(half), 32), tokens);
      _mm512_storeu_si512(to,
                          _mm512_maskz_compress_epi64(lanes, keys));  // to memory it would be slow on Zen 4
      return static_cast<std::size_t>(_mm_popcnt_u32(lanes));
    };
    const std::size_t count = write(_mm512_castsi512_si256(words), ids, static_cast<__mmask8>(chosen), out);
    return count + write(_mm512_extracti64x4_epi64(words, 1), _mm512_add_epi64(ids, _mm512_set1_epi64(8)),
                         static_cast<__mmask8>(chosen >> 8), out + count);
  }
};

}  // namespace
}  // namespace emberline

#include "sampling/kernels/logit_loops.h"

namespace emberline {
namespace {

std::uint64_t masses(const std::uint64_t* rank_keys, std::size_t n, float largest, float scale,
                     std::uint64_t* masses) {
  __m512i sum = _mm512_setzero_si512();
  for (std::size_t i = 0; i < n; i += 8) {
    const auto lanes = static_cast<__mmask8>(n - i < 8 ? (1u << (n - i)) - 1u : 0xFFu);
    const __m512i keys = _mm512_maskz_loadu_epi64(lanes, rank_keys + i);
    const __m256i words = _mm512_cvtepi64_epi32(_mm512_srli_epi64(keys, 32));
    const __m256i positive = _mm256_andnot_si256(_mm256_srai_epi32(words, 31), _mm256_set1_epi32(0x7FFFFFFF));
    const __m512 logits = _mm512_castps256_ps512(_mm256_castsi256_ps(_mm256_xor_si256(words, positive)));
    const Exponents x(logits, _mm512_set1_ps(largest), _mm512_set1_ps(scale));
    const __m512i own = mass_of(_mm512_cvtepu32_epi64(_mm512_castsi512_si256(x.fractions)),
                                _mm512_cvtepu32_epi64(_mm512_castsi512_si256(x.orders)));
    _mm512_mask_storeu_epi64(masses + i, lanes, own);
    sum = _mm512_mask_add_epi64(sum, lanes, sum, own);
  }
  return Vector::MassSum::sum_of(sum);
}

}  // namespace

const SamplingKernels& avx512_sampling_kernels() {
  static constexpr SamplingKernels kernels = {"avx512", scan, total_mass, collect, masses};
  return kernels;
}

}  // namespace emberline
