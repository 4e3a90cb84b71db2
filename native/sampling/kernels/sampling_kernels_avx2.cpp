// The kernel set for AVX2. Built with those flags, see CMakeLists.txt; sampling_kernels.h has the rules.
#include <float.h>
#include <immintrin.h>

#include "sampling/kernels/sampling_kernels.h"
#include "sampling/mass_polynomial.h"

namespace emberline {
namespace {

// upper_product(f, c) of the low halves of four 64-bit lanes.
__m256i upper_product(__m256i f, __m256i c) {
  return _mm256_srli_epi64(_mm256_mul_epu32(f, c), 32);
}

// mass_of for four 64-bit lanes: `fraction` in the low half, whatever the upper one holds; `order` < 64.
__m256i mass_of(__m256i fraction, __m256i order) {
  const auto constant = [](std::uint32_t c) { return _mm256_set1_epi64x(c); };
  __m256i sum =
      _mm256_sub_epi64(constant(kMassPolynomial4), upper_product(fraction, constant(kMassPolynomial5)));
  sum = _mm256_sub_epi64(constant(kMassPolynomial3), upper_product(fraction, sum));
  sum = _mm256_sub_epi64(constant(kMassPolynomial2), upper_product(fraction, sum));
  sum = _mm256_sub_epi64(constant(kMassPolynomial1), upper_product(fraction, sum));
  sum = _mm256_sub_epi64(constant(kMassPolynomial0), upper_product(fraction, sum));
  const __m256i half = _mm256_srli_epi64(_mm256_mul_epu32(fraction, sum), 33);
  const __m256i power = _mm256_sub_epi64(constant(0x80000000u), half);
  return _mm256_srlv_epi64(_mm256_slli_epi64(power, kMassBits - 31), order);
}

// The distance d / T / log 2 as mass_exponent has it, apart: whole binary orders, and a fraction of 32 bits.
// What has no mass counts as 60 orders.
struct Exponents {
  __m256i orders, fractions;
  Exponents(__m256 logits, __m256 largest, __m256 scale) {
    const __m256 x = _mm256_min_ps(_mm256_mul_ps(_mm256_sub_ps(largest, logits), scale), _mm256_set1_ps(60));
    const __m256 whole = _mm256_round_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __m256 fraction = _mm256_mul_ps(_mm256_sub_ps(x, whole), _mm256_set1_ps(1 << kMassFractionBits));
    orders = _mm256_cvttps_epi32(x);
    fractions = _mm256_slli_epi32(_mm256_cvttps_epi32(fraction), 32 - kMassFractionBits);
  }
};

std::uint64_t sum_of(__m256i lanes) {
  const __m128i pair = _mm_add_epi64(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_add_epi64(pair, _mm_unpackhi_epi64(pair, pair))));
}

struct Vector {
  static constexpr std::size_t kLanes = 8;
  using Lanes = __m256;

  static Lanes load(const float* p) { return _mm256_loadu_ps(p); }
  static Lanes max(Lanes a, Lanes b) { return _mm256_max_ps(a, b); }
  static float largest(Lanes a) {
    const __m128 quads = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    const __m128 pairs = _mm_max_ps(quads, _mm_movehl_ps(quads, quads));
    return _mm_cvtss_f32(_mm_max_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
  }

  class Finite {
   public:
    void note(Lanes a) { not_ = _mm256_or_ps(not_, _mm256_cmp_ps(a, _mm256_set1_ps(FLT_MAX), _CMP_NLE_UQ)); }
    bool all() const { return _mm256_movemask_ps(not_) == 0; }

   private:
    __m256 not_ = _mm256_setzero_ps();
  };

  class MassSum {
   public:
    MassSum(float largest, float scale) : largest_(_mm256_set1_ps(largest)), scale_(_mm256_set1_ps(scale)) {}
    void add(Lanes a) {
      const Exponents x(a, largest_, scale_);
      const __m256i even_orders = _mm256_blend_epi32(x.orders, _mm256_setzero_si256(), 0xAA);
      even_ = _mm256_add_epi64(even_, mass_of(x.fractions, even_orders));
      odd_ = _mm256_add_epi64(odd_,
                              mass_of(_mm256_srli_epi64(x.fractions, 32), _mm256_srli_epi64(x.orders, 32)));
    }
    std::uint64_t total() const { return sum_of(_mm256_add_epi64(even_, odd_)); }

   private:
    __m256 largest_, scale_;
    __m256i even_ = _mm256_setzero_si256(), odd_ = _mm256_setzero_si256();
  };

  static std::size_t append(Lanes a, float least, std::uint32_t first, std::uint64_t* out) {
    const int chosen = _mm256_movemask_ps(_mm256_cmp_ps(a, _mm256_set1_ps(least), _CMP_GE_OQ));
    if (chosen == 0) return 0;
    // ~logit_key: the bits of a negative number, all but the sign inverted of another; -0 + 0 is 0.
    const __m256i bits = _mm256_castps_si256(_mm256_add_ps(a, _mm256_setzero_ps()));
    const __m256i positive = _mm256_andnot_si256(_mm256_srai_epi32(bits, 31), _mm256_set1_epi32(0x7FFFFFFF));
    std::uint32_t words[kLanes];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(words), _mm256_xor_si256(bits, positive));
    std::size_t count = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      out[count] = (static_cast<std::uint64_t>(words[lane]) << 32) | (first + lane);
      count += (static_cast<unsigned>(chosen) >> lane) & 1u;
    }
    return count;
  }
};

}  // namespace
}  // namespace emberline

#include "sampling/kernels/logit_loops.h"

namespace emberline {
namespace {

// Of four rank keys.
__m256i masses_of(__m256i keys, float largest, float scale) {
  const __m256i words = _mm256_permutevar8x32_epi32(keys, _mm256_set_epi32(7, 7, 7, 7, 7, 5, 3, 1));
  const __m256i positive = _mm256_andnot_si256(_mm256_srai_epi32(words, 31), _mm256_set1_epi32(0x7FFFFFFF));
  const __m256 logits = _mm256_castsi256_ps(_mm256_xor_si256(words, positive));
  const Exponents x(logits, _mm256_set1_ps(largest), _mm256_set1_ps(scale));
  return mass_of(_mm256_cvtepu32_epi64(_mm256_castsi256_si128(x.fractions)),
                 _mm256_cvtepu32_epi64(_mm256_castsi256_si128(x.orders)));
}

std::uint64_t masses(const std::uint64_t* rank_keys, std::size_t n, float largest, float scale,
                     std::uint64_t* masses) {
  constexpr std::size_t kKeys = 4;
  __m256i sum = _mm256_setzero_si256();
  std::size_t i = 0;
  for (; i + kKeys <= n; i += kKeys) {
    const __m256i keys = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rank_keys + i));
    const __m256i own = masses_of(keys, largest, scale);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(masses + i), own);
    sum = _mm256_add_epi64(sum, own);
  }
  std::uint64_t total = sum_of(sum);
  if (i < n) {
    std::uint64_t last[kKeys] = {};
    for (std::size_t j = 0; j < n - i; ++j) last[j] = rank_keys[i + j];
    __m256i* const lanes = reinterpret_cast<__m256i*>(last);
    _mm256_storeu_si256(lanes, masses_of(_mm256_loadu_si256(lanes), largest, scale));
    for (std::size_t j = 0; j < n - i; ++j) total += masses[i + j] = last[j];
  }
  return total;
}

}  // namespace

const SamplingKernels& avx2_sampling_kernels() {
  static constexpr SamplingKernels kernels = {"avx2", scan, total_mass, collect, masses};
  return kernels;
}

}  // namespace emberline
