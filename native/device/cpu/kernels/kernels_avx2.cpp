// The kernel set for AVX2 with FMA and F16C. Built with those flags, see CMakeLists.txt; kernels.h has the
// rules.
#include <immintrin.h>
#include <string.h>

#include "base/half.h"
#include "device/cpu/kernels/kernels.h"

namespace emberline {
namespace {

struct Vector {
  using Lanes = __m256;

  static Lanes load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, Lanes a) { _mm256_storeu_ps(p, a); }
  // All ones in the first n lanes.
  static __m256i first(std::size_t n) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lane);
  }
  static Lanes load_partial(const float* p, std::size_t n) { return _mm256_maskload_ps(p, first(n)); }
  static void store_partial(float* p, std::size_t n, Lanes a) { _mm256_maskstore_ps(p, first(n), a); }
  static Lanes load_halves(const std::uint16_t* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static void store_halves(std::uint16_t* p, Lanes a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
  }
  static Lanes load_bf16_first(const std::uint16_t* p) {
    const __m256i pairs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16));
  }
  static Lanes load_bf16_second(const std::uint16_t* p) {
    const __m256i pairs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32(-65536)));
  }
  static Lanes set(float x) { return _mm256_set1_ps(x); }
  static Lanes add(Lanes a, Lanes b) { return _mm256_add_ps(a, b); }
  static Lanes sub(Lanes a, Lanes b) { return _mm256_sub_ps(a, b); }
  static Lanes mul(Lanes a, Lanes b) { return _mm256_mul_ps(a, b); }
  static Lanes div(Lanes a, Lanes b) { return _mm256_div_ps(a, b); }
  static Lanes fma(Lanes a, Lanes b, Lanes c) { return _mm256_fmadd_ps(a, b, c); }
  static Lanes max(Lanes a, Lanes b) { return _mm256_max_ps(a, b); }
  static Lanes min(Lanes a, Lanes b) { return _mm256_min_ps(a, b); }
  static Lanes round(Lanes a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
  static Lanes power_of_two(Lanes n) {
    const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
    return _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23));
  }
  static Lanes zero_below(Lanes x, float limit, Lanes value) {
    return _mm256_andnot_ps(_mm256_cmp_ps(x, _mm256_set1_ps(limit), _CMP_LT_OQ), value);
  }
  static float sum(Lanes a) {
    const __m128 quads = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    const __m128 pairs = _mm_add_ps(quads, _mm_movehl_ps(quads, quads));
    return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
  }
};

}  // namespace
}  // namespace emberline

#include "device/cpu/kernels/attention_loops.h"
#include "device/cpu/kernels/kernel_loops.h"

namespace emberline {
namespace {

__m256i load_256(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}
void store_256(void* p, __m256i v) {
  _mm256_storeu_si256(static_cast<__m256i*>(p), v);
}

int load_u32(const std::uint8_t* p) {
  int value;
  memcpy(&value, p, 4);
  return value;
}

// A block of x on its way to integers.
struct LoadedBlock {
  __m256 v[4];
  float scale;
  __m256 inverse;
};

// Scale and its inverse for integers of up to `largest_quant`.
inline LoadedBlock load_block(const float* x, float largest_quant) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  const __m256 zero = _mm256_setzero_ps();
  LoadedBlock block;
  __m256 magnitude = zero, poison = zero;
  for (int i = 0; i < 4; ++i) {
    block.v[i] = _mm256_loadu_ps(x + 8 * i);
    magnitude = _mm256_max_ps(_mm256_andnot_ps(sign, block.v[i]), magnitude);
    poison = _mm256_fmadd_ps(block.v[i], zero, poison);
  }
  __m128 largest4 = _mm_max_ps(_mm256_castps256_ps128(magnitude), _mm256_extractf128_ps(magnitude, 1));
  largest4 = _mm_max_ps(largest4, _mm_movehl_ps(largest4, largest4));
  const float largest = _mm_cvtss_f32(_mm_max_ss(largest4, _mm_shuffle_ps(largest4, largest4, 1)));
  const bool is_zero = largest < 1e-30f;
  block.scale = (is_zero ? 0.0f : largest / largest_quant) + Vector::sum(poison);
  block.inverse = _mm256_set1_ps(is_zero ? 0.0f : largest_quant / largest);
  return block;
}

inline std::int32_t add_up(const __m256i q[4]) {
  const __m256i total = _mm256_add_epi32(_mm256_add_epi32(q[0], q[1]), _mm256_add_epi32(q[2], q[3]));
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(total), _mm256_extracti128_si256(total, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1));
  return _mm_cvtsi128_si32(sum);
}

inline void store_bytes(std::int8_t* to, const __m256i q[4]) {
  // Packing two vectors of 32-bit integers twice interleaves their halves; this puts them in order again.
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(q[0], q[1]), _mm256_packs_epi32(q[2], q[3]));
  store_256(to, _mm256_permutevar8x32_epi32(packed, order));
}

inline void store_sums(const QuantizedRow& to, std::size_t block, float scale, std::int32_t sum) {
  to.scales[block] = scale;
  to.sums[block] = scale * static_cast<float>(sum);
  to.offsets[block] = -8 * sum;
}

void quantize_row(const float* x, std::size_t n, const QuantizedRow& to) {
  for (std::size_t b = 0; b < n / kBlockElements; ++b, x += kBlockElements) {
    const LoadedBlock block = load_block(x, 127.0f);
    __m256i q[4];
    for (int i = 0; i < 4; ++i) q[i] = _mm256_cvtps_epi32(_mm256_mul_ps(block.v[i], block.inverse));
    store_bytes(to.quants + b * kBlockElements, q);
    store_sums(to, b, block.scale, add_up(q));
  }
}

void quantize_row_fine(const float* x, std::size_t n, const QuantizedRow& to) {
  const __m256 coarse_step = _mm256_set1_ps(1.0f / kFineStep);
  for (std::size_t b = 0; b < n / kBlockElements; ++b, x += kBlockElements) {
    const LoadedBlock block = load_block(x, 127 * kFineStep + 127);
    __m256i q[4], coarse[4], rest[4];
    for (int i = 0; i < 4; ++i) {
      q[i] = _mm256_cvtps_epi32(_mm256_mul_ps(block.v[i], block.inverse));
      coarse[i] = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(q[i]), coarse_step));
      rest[i] = _mm256_sub_epi32(q[i], _mm256_mullo_epi32(coarse[i], _mm256_set1_epi32(kFineStep)));
    }
    store_bytes(to.quants + b * kBlockElements, coarse);
    store_bytes(to.fine + b * kBlockElements, rest);
    store_sums(to, b, block.scale, add_up(q));
  }
}

// Products with quantised weights, half a panel at a time: 8 rows to a vector of 4 columns each.

// 32 bits as 32 bytes of 0 or 16.
__m256i unpack_fifth_bits(const std::uint8_t* p) {
  const __m256i spread =
      _mm256_shuffle_epi8(_mm256_set1_epi32(load_u32(p)),
                          _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303));
  const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ull));
  const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
  return _mm256_and_si256(set, _mm256_set1_epi8(16));
}

// Columns 4s to 4s + 3 of rows 8 * half to 8 * half + 7, before the zero point is taken off.
template <typename Block>
inline __m256i load_step(const Block& block, std::size_t s, std::size_t half) {
  if constexpr (requires { block.quants; }) {
    return load_256(&block.quants[s][8 * half]);
  } else {
    const __m256i both = load_256(&block.nibbles[s % 4][8 * half]);
    const __m256i nibbles = _mm256_and_si256(s < 4 ? both : _mm256_srli_epi16(both, 4), _mm256_set1_epi8(15));
    if constexpr (requires { block.fifth; }) {
      return _mm256_or_si256(nibbles, unpack_fifth_bits(block.fifth[s] + 4 * half));
    } else {
      return nibbles;
    }
  }
}

// Sums of adjacent products as 16-bit integers. Unsigned weights of 4 and 5 bits: at most 2 * 31 * 127 a sum.
// Signed ones: the weight's sign moves to x; at most 2 * 128 * 127 = 32512 a sum.
template <int kBits>
inline __m256i multiply_pairs(__m256i weights, __m256i x) {
  if constexpr (kBits < 8) {
    return _mm256_maddubs_epi16(weights, x);
  } else {
    return _mm256_maddubs_epi16(_mm256_abs_epi8(weights), _mm256_sign_epi8(x, weights));
  }
}

// 32-bit sums of adjacent 16-bit ones, times `factor`.
inline __m256i widen_pairs(__m256i pairs, short factor = 1) {
  return _mm256_madd_epi16(pairs, _mm256_set1_epi16(factor));
}

// What a format's products are made of. kOffsets: how often the offset of a block goes into its dot product.
template <typename B, int bits, int offsets>
struct Format {
  using Block = B;
  static constexpr int kBits = bits;
  static constexpr int kOffsets = offsets;
};
using Q4_0 = Format<PackedQ4_0, 4, 1>;
using Q4_1 = Format<PackedQ4_1, 4, 0>;
using Q5_0 = Format<PackedQ5_0, 5, 2>;
using Q5_1 = Format<PackedQ5_1, 5, 0>;
using Q8_0 = Format<PackedQ8_0, 8, 0>;

// Dot products of half a block with the same block of kRows rows of x, `width` apart.
template <typename Format, std::size_t kRows>
inline void multiply_block(const __m256i weights[kBlockSteps], const std::int8_t* x, std::size_t width,
                           __m256i dot[kRows]) {
  // So many 16-bit sums of pairs may be added before they are widened: 8 * 2 * 15 * 127 and 4 * 2 * 31 * 127
  // are in range.
  constexpr std::size_t kRun = Format::kBits == 4 ? 8 : Format::kBits == 5 ? 4 : 1;
  for (std::size_t from = 0; from < kBlockSteps; from += kRun) {
    __m256i pairs[kRows] = {};
    for (std::size_t s = from; s < from + kRun; ++s) {
      for (std::size_t r = 0; r < kRows; ++r) {
        int four;
        memcpy(&four, x + r * width + 4 * s, 4);
        const __m256i products = multiply_pairs<Format::kBits>(weights[s], _mm256_set1_epi32(four));
        pairs[r] = s == from ? products : _mm256_add_epi16(pairs[r], products);
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      dot[r] = from == 0 ? widen_pairs(pairs[r]) : _mm256_add_epi32(dot[r], widen_pairs(pairs[r]));
    }
  }
}

// Half a panel with kRows rows of x.
template <typename Format, std::size_t kRows, bool kFine>
inline void multiply_rows(const std::uint8_t* panel, std::size_t half, const ActivationRows& x,
                          std::size_t row, float* y, std::size_t stride) {
  const std::size_t blocks = x.width / kBlockElements;
  __m256 sums[kRows];
  for (__m256& sum : sums) sum = _mm256_setzero_ps();
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto& block = reinterpret_cast<const typename Format::Block*>(panel)[b];
    __m256i weights[kBlockSteps];
    for (std::size_t s = 0; s < kBlockSteps; ++s) weights[s] = load_step(block, s, half);
    const std::size_t at = row * x.width + b * kBlockElements;
    __m256i dot[kRows] = {};
    multiply_block<Format, kRows>(weights, x.quants + at, x.width, dot);
    if constexpr (kFine) {
      __m256i rest[kRows] = {};
      multiply_block<Format, kRows>(weights, x.fine + at, x.width, rest);
      for (std::size_t r = 0; r < kRows; ++r) {
        dot[r] = _mm256_add_epi32(_mm256_mullo_epi32(dot[r], _mm256_set1_epi32(kFineStep)), rest[r]);
      }
    }
    const __m256 d = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block.d + 8 * half)));
    for (std::size_t r = 0; r < kRows; ++r) {
      const std::size_t scale = (row + r) * blocks + b;
      if constexpr (Format::kOffsets > 0) {
        dot[r] = _mm256_add_epi32(dot[r], _mm256_set1_epi32(Format::kOffsets * x.offsets[scale]));
      }
      sums[r] = _mm256_fmadd_ps(_mm256_mul_ps(d, _mm256_set1_ps(x.scales[scale])), _mm256_cvtepi32_ps(dot[r]),
                                sums[r]);
      if constexpr (requires { block.m; }) {
        const __m256 m =
            _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block.m + 8 * half)));
        sums[r] = _mm256_fmadd_ps(m, _mm256_set1_ps(x.sums[scale]), sums[r]);
      }
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) _mm256_storeu_ps(y + (row + r) * stride + 8 * half, sums[r]);
}

template <typename Format, bool kFine>
void product_quantized_panels(const Panels& panels, const ActivationRows& x, float* y, std::size_t stride) {
  for (std::size_t p = 0; p < panels.count; ++p, y += kPanelRows) {
    const std::uint8_t* panel = panels.data + p * panels.panel_bytes;
    for (std::size_t half = 0; half < 2; ++half) {
      std::size_t r = 0;
      for (; r + 4 <= x.rows; r += 4) multiply_rows<Format, 4, kFine>(panel, half, x, r, y, stride);
      for (; r < x.rows; ++r) multiply_rows<Format, 1, kFine>(panel, half, x, r, y, stride);
    }
  }
}

template <typename Format>
void product_quantized(const Panels& panels, const ActivationRows& x, float* y, std::size_t stride) {
  if (x.fine != nullptr) return product_quantized_panels<Format, true>(panels, x, y, stride);
  product_quantized_panels<Format, false>(panels, x, y, stride);
}

}  // namespace

const Kernels& avx2_kernels() {
  static constexpr Kernels kernels = {"avx2",
                                      quantize_row,
                                      quantize_row_fine,
                                      sum_of_squares,
                                      scale_row,
                                      silu_mul,
                                      exp_row,
                                      scan_logits,
                                      widen_halves,
                                      narrow_to_halves,
                                      kAttentionKernels,
                                      product_float<F32Weights>,
                                      product_float<F16Weights>,
                                      product_float<Bf16Weights>,
                                      product_quantized<Q4_0>,
                                      product_quantized<Q4_1>,
                                      product_quantized<Q5_0>,
                                      product_quantized<Q5_1>,
                                      product_quantized<Q8_0>};
  return kernels;
}

}  // namespace emberline
