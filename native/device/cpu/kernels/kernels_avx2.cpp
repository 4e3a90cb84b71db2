// The kernel set for AVX2 with FMA and F16C. Built with those flags, see CMakeLists.txt; kernels.h has the
// rules.
#include <immintrin.h>
#include <string.h>

#include "device/cpu/kernels/avx2_quantize.h"
#include "device/cpu/kernels/avx2_vector.h"

namespace emberline {
namespace {

__m256i load_256(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

int load_u32(const std::uint8_t* p) {
  int value;
  memcpy(&value, p, 4);
  return value;
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
}  // namespace emberline

#include "device/cpu/kernels/x86_kernel_set.h"

namespace emberline {

const Kernels& avx2_kernels() {
  static constexpr Kernels kernels = kernel_set("avx2");
  return kernels;
}

}  // namespace emberline
