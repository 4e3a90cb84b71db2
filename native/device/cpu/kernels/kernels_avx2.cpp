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
  static Lanes load_bf16(const std::uint16_t* p) {
    const __m256i bits = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    return _mm256_castsi256_ps(_mm256_slli_epi32(bits, 16));
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

#include "device/cpu/kernels/kernel_loops.h"

namespace emberline {
namespace {

__m128i load_128(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}
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

inline float add_up(const __m256i q[4]) {
  const __m256i total = _mm256_add_epi32(_mm256_add_epi32(q[0], q[1]), _mm256_add_epi32(q[2], q[3]));
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(total), _mm256_extracti128_si256(total, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1));
  return static_cast<float>(_mm_cvtsi128_si32(sum));
}

inline void store_bytes(std::int8_t* to, const __m256i q[4]) {
  // Packing two vectors of 32-bit integers twice interleaves their halves; this puts them in order again.
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(q[0], q[1]), _mm256_packs_epi32(q[2], q[3]));
  store_256(to, _mm256_permutevar8x32_epi32(packed, order));
}

void quantize_row(const float* x, std::size_t n, std::int8_t* quants, float* scales, float* sums) {
  for (std::size_t b = 0; b < n / kBlockElements; ++b, x += kBlockElements, quants += kBlockElements) {
    const LoadedBlock block = load_block(x, 127.0f);
    __m256i q[4];
    for (int i = 0; i < 4; ++i) q[i] = _mm256_cvtps_epi32(_mm256_mul_ps(block.v[i], block.inverse));
    store_bytes(quants, q);
    scales[b] = block.scale;
    sums[b] = block.scale * add_up(q);
  }
}

void quantize_row_fine(const float* x, std::size_t n, std::int8_t* quants, std::int8_t* fine, float* scales,
                       float* sums) {
  const __m256 coarse_step = _mm256_set1_ps(1.0f / kFineStep);
  for (std::size_t b = 0; b < n / kBlockElements;
       ++b, x += kBlockElements, quants += kBlockElements, fine += kBlockElements) {
    const LoadedBlock block = load_block(x, 127 * kFineStep + 127);
    __m256i q[4], coarse[4], rest[4];
    for (int i = 0; i < 4; ++i) {
      q[i] = _mm256_cvtps_epi32(_mm256_mul_ps(block.v[i], block.inverse));
      coarse[i] = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(q[i]), coarse_step));
      rest[i] = _mm256_sub_epi32(q[i], _mm256_mullo_epi32(coarse[i], _mm256_set1_epi32(kFineStep)));
    }
    store_bytes(quants, coarse);
    store_bytes(fine, rest);
    scales[b] = block.scale;
    sums[b] = block.scale * add_up(q);
  }
}

// Products with quantised weights. A block of 8 weight rows is 32 columns wide. Integer sums are exact, so
// the two ways below, for one row of x and for many, give the same block sums; both then add the blocks of a
// row in order:
//   y = fma(d * scale, dot, y), then y = fma(m, scaled sum, y) where the format has a minimum.

// Nibbles of a block as 32 bytes, in column order.
__m256i unpack_nibbles(const std::uint8_t* p) {
  const __m128i low = load_128(p);
  const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(low), _mm_srli_epi16(low, 4), 1);
  return _mm256_and_si256(both, _mm256_set1_epi8(15));
}

// 32 bits as 32 bytes of 0 or 16.
__m256i unpack_fifth_bits(const std::uint8_t* p) {
  const __m256i spread =
      _mm256_shuffle_epi8(_mm256_set1_epi32(load_u32(p)),
                          _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303));
  const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ull));
  const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
  return _mm256_and_si256(set, _mm256_set1_epi8(16));
}

// The f16 at `offset` of each row's block, as floats.
__m256 load_scales(const WeightRows& weights, std::size_t offset) {
  __m128i halves = _mm_setzero_si128();
  auto half = [&](std::size_t i) {
    std::uint16_t bits;
    memcpy(&bits, weights.data + i * weights.row_bytes + offset, 2);
    return static_cast<int>(bits);
  };
  halves = _mm_insert_epi16(halves, half(0), 0);
  halves = _mm_insert_epi16(halves, half(1), 1);
  halves = _mm_insert_epi16(halves, half(2), 2);
  halves = _mm_insert_epi16(halves, half(3), 3);
  halves = _mm_insert_epi16(halves, half(4), 4);
  halves = _mm_insert_epi16(halves, half(5), 5);
  halves = _mm_insert_epi16(halves, half(6), 6);
  halves = _mm_insert_epi16(halves, half(7), 7);
  return _mm256_cvtph_ps(halves);
}

struct Scales {
  __m256 d, m;
};

// A pair of f16, scale and minimum, at `offset` of each row's block.
Scales load_scale_pairs(const WeightRows& weights, std::size_t offset) {
  auto pair = [&](std::size_t i) { return load_u32(weights.data + i * weights.row_bytes + offset); };
  const __m128i low = _mm_setr_epi32(pair(0), pair(1), pair(2), pair(3));
  const __m128i high = _mm_setr_epi32(pair(4), pair(5), pair(6), pair(7));
  const __m128i mask = _mm_set1_epi32(0xFFFF);
  const __m128i d = _mm_packus_epi32(_mm_and_si128(low, mask), _mm_and_si128(high, mask));
  const __m128i m = _mm_packus_epi32(_mm_srli_epi32(low, 16), _mm_srli_epi32(high, 16));
  return {_mm256_cvtph_ps(d), _mm256_cvtph_ps(m)};
}

struct Q4_0 {
  static constexpr std::size_t kBytes = 18;
  static constexpr int kBits = 4;
  static __m256i unpack(const std::uint8_t* block) { return unpack_nibbles(block + 2); }
  static Scales scales(const WeightRows& weights, std::size_t offset) {
    const __m256 d = load_scales(weights, offset);
    return {d, _mm256_mul_ps(d, _mm256_set1_ps(-8.0f))};
  }
};

struct Q4_1 {
  static constexpr std::size_t kBytes = 20;
  static constexpr int kBits = 4;
  static __m256i unpack(const std::uint8_t* block) { return unpack_nibbles(block + 4); }
  static Scales scales(const WeightRows& weights, std::size_t offset) {
    return load_scale_pairs(weights, offset);
  }
};

struct Q5_0 {
  static constexpr std::size_t kBytes = 22;
  static constexpr int kBits = 5;
  static __m256i unpack(const std::uint8_t* block) {
    return _mm256_or_si256(unpack_nibbles(block + 6), unpack_fifth_bits(block + 2));
  }
  static Scales scales(const WeightRows& weights, std::size_t offset) {
    const __m256 d = load_scales(weights, offset);
    return {d, _mm256_mul_ps(d, _mm256_set1_ps(-16.0f))};
  }
};

struct Q5_1 {
  static constexpr std::size_t kBytes = 24;
  static constexpr int kBits = 5;
  static __m256i unpack(const std::uint8_t* block) {
    return _mm256_or_si256(unpack_nibbles(block + 8), unpack_fifth_bits(block + 4));
  }
  static Scales scales(const WeightRows& weights, std::size_t offset) {
    return load_scale_pairs(weights, offset);
  }
};

// The only signed format: no minimum.
struct Q8_0 {
  static constexpr std::size_t kBytes = 34;
  static constexpr int kBits = 8;
  static __m256i unpack(const std::uint8_t* block) { return load_256(block + 2); }
  static Scales scales(const WeightRows& weights, std::size_t offset) {
    return {load_scales(weights, offset), _mm256_setzero_ps()};
  }
};

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

// Lane i of the result: the sum of rows[i], 8 partial sums of weight row i.
inline __m256i add_up_wide_rows(const __m256i rows[kTileRows]) {
  auto pair = [&](int i) { return _mm256_hadd_epi32(rows[i], rows[i + 1]); };
  const __m256i low = _mm256_hadd_epi32(pair(0), pair(2));
  const __m256i high = _mm256_hadd_epi32(pair(4), pair(6));
  return _mm256_add_epi32(_mm256_permute2x128_si256(low, high, 0x20),
                          _mm256_permute2x128_si256(low, high, 0x31));
}

// rows[i] holds 16 partial sums of weight row i. Lane i of the result: the whole sum of row i.
template <int kBits>
inline __m256i add_up_rows(const __m256i rows[kTileRows]) {
  if constexpr (kBits < 8) {
    // Two levels of 16-bit sums stay in range: 4 * 2 * 31 * 127 = 31496.
    auto four = [&](int i) {
      return widen_pairs(_mm256_hadd_epi16(_mm256_hadd_epi16(rows[i], rows[i + 1]),
                                           _mm256_hadd_epi16(rows[i + 2], rows[i + 3])));
    };
    const __m256i low = four(0),
                  high = four(4);  // [rows 0-3 of the lower half | of the upper half], rows 4-7
    return _mm256_add_epi32(_mm256_permute2x128_si256(low, high, 0x20),
                            _mm256_permute2x128_si256(low, high, 0x31));
  } else {
    __m256i wide[kTileRows];
    for (std::size_t i = 0; i < kTileRows; ++i) wide[i] = widen_pairs(rows[i]);
    return add_up_wide_rows(wide);
  }
}

// Dot products of block b of 8 weight rows with the same block of a row of x.
template <typename Format>
inline __m256i multiply_one_row(const WeightRows& weights, std::size_t offset, const std::int8_t* quants) {
  const __m256i q = load_256(quants);
  __m256i pairs[kTileRows];
  for (std::size_t i = 0; i < kTileRows; ++i) {
    pairs[i] =
        multiply_pairs<Format::kBits>(Format::unpack(weights.data + i * weights.row_bytes + offset), q);
  }
  return add_up_rows<Format::kBits>(pairs);
}

// The same with a row of 16 bits. At most 32 * 128 * 32512, well within 32 bits.
template <typename Format>
inline __m256i multiply_one_fine_row(const WeightRows& weights, std::size_t offset, const std::int8_t* quants,
                                     const std::int8_t* fine) {
  const __m256i q = load_256(quants), f = load_256(fine);
  __m256i sums[kTileRows];
  for (std::size_t i = 0; i < kTileRows; ++i) {
    const __m256i w = Format::unpack(weights.data + i * weights.row_bytes + offset);
    sums[i] = _mm256_add_epi32(widen_pairs(multiply_pairs<Format::kBits>(w, q), kFineStep),
                               widen_pairs(multiply_pairs<Format::kBits>(w, f)));
  }
  return add_up_wide_rows(sums);
}

template <typename Format>
inline __m256 add_block(__m256 y, __m256i dot, const Scales& weight, float scale, float sum) {
  y = _mm256_fmadd_ps(_mm256_mul_ps(weight.d, _mm256_set1_ps(scale)), _mm256_cvtepi32_ps(dot), y);
  if constexpr (Format::kBits < 8) y = _mm256_fmadd_ps(weight.m, _mm256_set1_ps(sum), y);
  return y;
}

template <typename Format, bool kFine>
void product_one_quantized_row(const WeightRows& weights, const ActivationRows& x, float* tile) {
  const std::size_t blocks = x.width / kBlockElements;
  // The rows of a tile are eight streams, more than the processor's own prefetching follows well.
  const std::uint8_t* next_tile = weights.data + kTileRows * weights.row_bytes;
  __m256 y = _mm256_setzero_ps();
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t offset = b * Format::kBytes;
    for (std::size_t line = 0; line < kTileRows * Format::kBytes; line += 64) {
      _mm_prefetch(reinterpret_cast<const char*>(next_tile + kTileRows * offset + line), _MM_HINT_T0);
    }
    const std::int8_t* q = x.quants + b * kBlockElements;
    __m256i dot;
    if constexpr (kFine) {
      dot = multiply_one_fine_row<Format>(weights, offset, q, x.fine + b * kBlockElements);
    } else {
      dot = multiply_one_row<Format>(weights, offset, q);
    }
    y = add_block<Format>(y, dot, Format::scales(weights, offset), x.scales[b], x.sums[b]);
  }
  _mm256_storeu_ps(tile, y);
}

// A block of 8 rows with 4 columns of each row side by side, so that 4 columns of x, broadcast, meet all 8
// rows at once.
struct InterleavedBlock {
  __m256i columns[8];
  Scales scales;
};

// 8x8 transposition of 32-bit elements.
inline void transpose(__m256i r[8]) {
  __m256i a[8], b[8];
  for (int i = 0; i < 8; i += 2) {
    a[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
    a[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    b[i] = _mm256_unpacklo_epi64(a[i], a[i + 2]);
    b[i + 1] = _mm256_unpackhi_epi64(a[i], a[i + 2]);
    b[i + 2] = _mm256_unpacklo_epi64(a[i + 1], a[i + 3]);
    b[i + 3] = _mm256_unpackhi_epi64(a[i + 1], a[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm256_permute2x128_si256(b[i], b[i + 4], 0x20);
    r[i + 4] = _mm256_permute2x128_si256(b[i], b[i + 4], 0x31);
  }
}

// Dot products of an interleaved block with the same block of kRows rows of x.
template <int kBits, std::size_t kRows>
inline void multiply_block(const InterleavedBlock& block, const std::int8_t* x, std::size_t width,
                           __m256i dot[kRows]) {
  // So many 16-bit sums of pairs may be added before they are widened: 8 * 2 * 15 * 127 and 4 * 2 * 31 * 127
  // are in range.
  constexpr int kRun = kBits == 4 ? 8 : kBits == 5 ? 4 : 1;
  for (int from = 0; from < 8; from += kRun) {
    __m256i pairs[kRows] = {};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 2  // unrolled further, GCC spills half of the sums to the stack
#endif
    for (int c = from; c < from + kRun; ++c) {
      const __m256i weights = _mm256_load_si256(&block.columns[c]);
      for (std::size_t r = 0; r < kRows; ++r) {
        int four;
        memcpy(&four, x + r * width + 4 * c, 4);
        const __m256i products = multiply_pairs<kBits>(weights, _mm256_set1_epi32(four));
        pairs[r] = c == from ? products : _mm256_add_epi16(pairs[r], products);
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      dot[r] = from == 0 ? widen_pairs(pairs[r]) : _mm256_add_epi32(dot[r], widen_pairs(pairs[r]));
    }
  }
}

template <typename Format, std::size_t kRows, bool kFine>
inline void multiply_rows(const InterleavedBlock* blocks, const ActivationRows& x, std::size_t row,
                          float* tile) {
  const std::size_t count = x.width / kBlockElements;
  const std::int8_t* q = x.quants + row * x.width;
  const float* scales = x.scales + row * count;
  const float* sums = x.sums + row * count;
  __m256 y[kRows];
  for (__m256& value : y) value = _mm256_setzero_ps();
  for (std::size_t b = 0; b < count; ++b) {
    __m256i dot[kRows] = {};
    multiply_block<Format::kBits, kRows>(blocks[b], q + b * kBlockElements, x.width, dot);
    if constexpr (kFine) {
      __m256i rest[kRows] = {};
      multiply_block<Format::kBits, kRows>(blocks[b], x.fine + row * x.width + b * kBlockElements, x.width,
                                           rest);
      for (std::size_t r = 0; r < kRows; ++r) {
        dot[r] = _mm256_add_epi32(_mm256_mullo_epi32(dot[r], _mm256_set1_epi32(kFineStep)), rest[r]);
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      y[r] = add_block<Format>(y[r], dot[r], blocks[b].scales, scales[r * count + b], sums[r * count + b]);
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) _mm256_storeu_ps(tile + (row + r) * kTileRows, y[r]);
}

template <typename Format, bool kFine>
void product_quantized_rows(const WeightRows& weights, const ActivationRows& x, float* tile,
                            std::uint8_t* scratch) {
  if (x.rows == 1) return product_one_quantized_row<Format, kFine>(weights, x, tile);
  auto* blocks = reinterpret_cast<InterleavedBlock*>(scratch);
  for (std::size_t b = 0; b < x.width / kBlockElements; ++b) {
    const std::size_t offset = b * Format::kBytes;
    for (std::size_t i = 0; i < kTileRows; ++i)
      blocks[b].columns[i] = Format::unpack(weights.data + i * weights.row_bytes + offset);
    transpose(blocks[b].columns);
    blocks[b].scales = Format::scales(weights, offset);
  }
  std::size_t r = 0;
  for (; r + 4 <= x.rows; r += 4) multiply_rows<Format, 4, kFine>(blocks, x, r, tile);
  for (; r < x.rows; ++r) multiply_rows<Format, 1, kFine>(blocks, x, r, tile);
}

template <typename Format>
void product_quantized(const WeightRows& weights, const ActivationRows& x, float* tile,
                       std::uint8_t* scratch) {
  if (x.fine != nullptr) return product_quantized_rows<Format, true>(weights, x, tile, scratch);
  product_quantized_rows<Format, false>(weights, x, tile, scratch);
}
static_assert(sizeof(InterleavedBlock) <= product_scratch_bytes(kBlockElements) - product_scratch_bytes(0));

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
                                      attend<float>,
                                      attend<std::uint16_t>,
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
