// Products of two and more rows with SMMLA, of the i8mm extension: 2 weight rows times 2 rows of x times 8
// columns an instruction. Included by kernels_neon_i8mm.cpp alone.
//
// What belongs to a pair of weight rows and a pair of rows of x lies in one register, lanes (w0, x0), (w0,
// x1), (w1, x0), (w1, x1). Rows of x are interleaved for that, a chunk of blocks at a time, and then meet
// every panel; between chunks the sums wait in y.
#pragma once

#include "device/cpu/kernels/neon_formats.h"

namespace emberline {
namespace {

constexpr std::size_t kChunkBlocks = 16;  // with 8 rows, a chunk takes 11 KiB of the stack
static_assert(kChunkBlocks % kSuperBlockParts == 0);

// A block of kPairs pairs of rows of x.
template <std::size_t kPairs>
struct PairedBlock {
  int8x16_t columns[kPairs][4];  // columns 8c to 8c + 7 of the first row, then of the second
  float32x4_t scales[kPairs];    // of the first row, the second, the first, the second; so all below
  float32x4_t sums[kPairs];
  int32x4_t offsets[kPairs], first_offsets[kPairs];
};

inline int8x16_t low_halves(int8x16_t a, int8x16_t b) {
  return vcombine_s8(vget_low_s8(a), vget_low_s8(b));
}
inline int8x16_t high_halves(int8x16_t a, int8x16_t b) {
  return vcombine_s8(vget_high_s8(a), vget_high_s8(b));
}
inline float32x4_t alternate(float first, float second) {
  return vzip1q_f32(vdupq_n_f32(first), vdupq_n_f32(second));
}
inline int32x4_t alternate(std::int32_t first, std::int32_t second) {
  return vzip1q_s32(vdupq_n_s32(first), vdupq_n_s32(second));
}

// Block b of rows `row` and on.
template <std::size_t kPairs>
inline void pair_block(const ActivationRows& x, std::size_t row, std::size_t b, PairedBlock<kPairs>& to) {
  const std::size_t blocks = x.width / kBlockElements;
  for (std::size_t i = 0; i < kPairs; ++i) {
    const std::size_t first = (row + 2 * i) * blocks + b, second = first + blocks;
    const std::int8_t* quants[] = {x.quants + first * kBlockElements, x.quants + second * kBlockElements};
    for (std::size_t half = 0; half < 2; ++half) {
      const int8x16_t a = vld1q_s8(quants[0] + 16 * half), c = vld1q_s8(quants[1] + 16 * half);
      to.columns[i][2 * half] = low_halves(a, c);
      to.columns[i][2 * half + 1] = high_halves(a, c);
    }
    to.scales[i] = alternate(x.scales[first], x.scales[second]);
    to.sums[i] = alternate(x.sums[first], x.sums[second]);
    to.offsets[i] = alternate(x.offsets[first], x.offsets[second]);
    to.first_offsets[i] = alternate(x.first_offsets[first], x.first_offsets[second]);
  }
}

// Steps k, k + 1 (low) and k + 4, k + 5 (high) of two pairs of weight rows: 8 columns of one row, then of the
// other, before the zero point is taken off.
struct RowPairs {
  int8x16_t low[2], high[2];
};

inline int8x16_t zip_steps(int8x16_t a, int8x16_t b, std::size_t pair) {
  const int32x4_t x = vreinterpretq_s32_s8(a), y = vreinterpretq_s32_s8(b);
  return vreinterpretq_s8_s32(pair == 0 ? vzip1q_s32(x, y) : vzip2q_s32(x, y));
}

// Rows 4 * group to 4 * group + 3; k is 0 or 2.
template <typename Part>
inline RowPairs load_row_pairs(const Part& part, std::size_t k, std::size_t group) {
  const std::size_t row = group * kGroupRows;
  RowPairs pairs;
  for (std::size_t p = 0; p < 2; ++p) {
    if constexpr (requires { part.quants; }) {
      pairs.low[p] = zip_steps(vld1q_s8(part.quants[k][row]), vld1q_s8(part.quants[k + 1][row]), p);
      pairs.high[p] = zip_steps(vld1q_s8(part.quants[k + 4][row]), vld1q_s8(part.quants[k + 5][row]), p);
    } else if constexpr (!requires { part.nibbles; }) {
      const StepPair first = load_steps(part, k, group), second = load_steps(part, k + 1, group);
      pairs.low[p] = zip_steps(first.low, second.low, p);
      pairs.high[p] = zip_steps(first.high, second.high, p);
    } else {
      const int8x16_t first = vreinterpretq_s8_u8(vld1q_u8(part.nibbles[k][row]));
      const int8x16_t second = vreinterpretq_s8_u8(vld1q_u8(part.nibbles[k + 1][row]));
      const uint8x16_t both = vreinterpretq_u8_s8(zip_steps(first, second, p));
      pairs.low[p] = vreinterpretq_s8_u8(vandq_u8(both, vdupq_n_u8(15)));
      pairs.high[p] = vreinterpretq_s8_u8(vshrq_n_u8(both, 4));
    }
    if constexpr (requires { part.fifth; }) {
      // A byte holds the bits of a pair of rows; that of the next step lies 8 bytes on.
      const uint8x16_t index =
          add_to_bytes(byte_pattern(0x0808080800000000ull, 0x0808080800000000ull), 2 * group + p);
      const uint8x16_t bit = byte_pattern(0x0804020108040201ull, 0x8040201080402010ull);
      const int8x16_t low = spread_bits<16>(vld1q_u8(part.fifth[k]), index, bit);
      const int8x16_t high = spread_bits<16>(vld1q_u8(part.fifth[k + 4]), index, bit);
      pairs.low[p] = vorrq_s8(pairs.low[p], low);
      pairs.high[p] = vorrq_s8(pairs.high[p], high);
    }
    if constexpr (requires { part.nibbles; } && requires { part.upper; }) {
      const uint8x16_t low = vld1q_u8(part.upper[0][row]), high = vld1q_u8(part.upper[1][row]);
      pairs.low[p] = vorrq_s8(pairs.low[p], zip_steps(upper_bits(low, k), upper_bits(low, k + 1), p));
      pairs.high[p] = vorrq_s8(pairs.high[p], zip_steps(upper_bits(high, k), upper_bits(high, k + 1), p));
    }
  }
  return pairs;
}

// Numbers of 4 weight rows, each twice: rows 0 and 1, rows 2 and 3.
struct Repeated {
  float32x4_t pair[2];
};
inline Repeated repeat(float32x4_t values) {
  return {{vzip1q_f32(values, values), vzip2q_f32(values, values)}};
}

// Adds a part's products, with rows 4 * group and on of a panel, to the sums of its two pairs of rows.
template <typename Format, std::size_t kPairs>
inline void add_part(const typename Format::Block& block, std::size_t part, std::size_t group,
                     const PairedBlock<kPairs>& x, float32x4_t sums[kPairs][2]) {
  constexpr std::size_t kHalves = Format::kHalves;
  int32x4_t dot[kHalves][kPairs][2];
  for (std::size_t i = 0; i < kPairs; ++i) {
    for (std::size_t h = 0; h < kHalves; ++h) {
      const int32x4_t offset = kHalves == 1 ? x.offsets[i]
                               : h == 0     ? x.first_offsets[i]
                                            : vsubq_s32(x.offsets[i], x.first_offsets[i]);
      dot[h][i][0] = dot[h][i][1] =
          kOffsets<Format> == 0 ? vdupq_n_s32(0) : vmulq_n_s32(offset, kOffsets<Format>);
    }
  }
  for (std::size_t c = 0; c < 2; ++c) {
    const RowPairs weights = load_row_pairs(parts_of(block)[part], 2 * c, group);
    for (std::size_t i = 0; i < kPairs; ++i) {
      for (std::size_t p = 0; p < 2; ++p) {
        int32x4_t &low = dot[0][i][p], &high = dot[kHalves - 1][i][p];
        low = vmmlaq_s32(low, weights.low[p], x.columns[i][c]);
        high = vmmlaq_s32(high, weights.high[p], x.columns[i][c + 2]);
      }
    }
  }
  for (std::size_t h = 0; h < kHalves; ++h) {
    const Repeated d = repeat(scales_of(block, part, h, group * kGroupRows));
    for (std::size_t i = 0; i < kPairs; ++i) {
      for (std::size_t p = 0; p < 2; ++p) {
        sums[i][p] = vfmaq_f32(sums[i][p], vmulq_f32(d.pair[p], x.scales[i]), vcvtq_f32_s32(dot[h][i][p]));
      }
    }
  }
  if constexpr (requires { block.m; }) {
    for (std::size_t h = 0; h < kHalves; ++h) {
      const Repeated m = repeat(minima_of(block, part, h, group * kGroupRows));
      for (std::size_t i = 0; i < kPairs; ++i) {
        const int32x4_t offset = h == 0 ? x.first_offsets[i] : vsubq_s32(x.offsets[i], x.first_offsets[i]);
        const float32x4_t sum =
            kHalves == 1 ? x.sums[i] : vmulq_f32(x.scales[i], vmulq_n_f32(vcvtq_f32_s32(offset), -0.125f));
        for (std::size_t p = 0; p < 2; ++p) sums[i][p] = vfmaq_f32(sums[i][p], m.pair[p], sum);
      }
    }
  }
}

// Rows [4 * group, 4 * (group + kGroups)) of a panel with a chunk of x; y is at the first of them. Begins
// from zero or from what y holds.
template <typename Format, std::size_t kPairs, std::size_t kGroups>
inline void multiply_chunk(const typename Format::Block* blocks, std::size_t group,
                           const PairedBlock<kPairs>* x, std::size_t count, bool from_zero, float* y,
                           std::size_t stride) {
  float32x4_t sums[kGroups][kPairs][2];
  for (std::size_t g = 0; g < kGroups; ++g) {
    for (std::size_t i = 0; i < kPairs; ++i) {
      const float* rows = y + 2 * i * stride + g * kGroupRows;
      const float32x4_t zero = vdupq_n_f32(0.0f);
      const float32x4_t first = from_zero ? zero : vld1q_f32(rows);
      const float32x4_t second = from_zero ? zero : vld1q_f32(rows + stride);
      sums[g][i][0] = vzip1q_f32(first, second);
      sums[g][i][1] = vzip2q_f32(first, second);
    }
  }
  for (std::size_t b = 0; b < count; ++b) {
    const auto& block = blocks[b / Format::kParts];
    for (std::size_t g = 0; g < kGroups; ++g)
      add_part<Format, kPairs>(block, b % Format::kParts, group + g, x[b], sums[g]);
  }
  for (std::size_t g = 0; g < kGroups; ++g) {
    for (std::size_t i = 0; i < kPairs; ++i) {
      float* rows = y + 2 * i * stride + g * kGroupRows;
      vst1q_f32(rows, vuzp1q_f32(sums[g][i][0], sums[g][i][1]));
      vst1q_f32(rows + stride, vuzp2q_f32(sums[g][i][0], sums[g][i][1]));
    }
  }
}

// Rows [row, row + 2 * kPairs) of x with every panel.
template <typename Format, std::size_t kPairs>
void multiply_pairs(const Panels& panels, const ActivationRows& x, std::size_t row, float* y,
                    std::size_t stride) {
  constexpr std::size_t kGroups = kPairs > 2 ? 1 : 2;  // as many sums as the registers hold
  const std::size_t blocks = x.width / kBlockElements;
  PairedBlock<kPairs> chunk[kChunkBlocks];
  for (std::size_t b = 0; b < blocks; b += kChunkBlocks) {
    const std::size_t count = blocks - b < kChunkBlocks ? blocks - b : kChunkBlocks;
    for (std::size_t i = 0; i < count; ++i) pair_block(x, row, b + i, chunk[i]);
    for (std::size_t p = 0; p < panels.count; ++p) {
      const auto* panel =
          reinterpret_cast<const typename Format::Block*>(panels.data + p * panels.panel_bytes) +
          b / Format::kParts;
      float* to = y + row * stride + p * kPanelRows;
      for (std::size_t group = 0; group < kPanelRows / kGroupRows; group += kGroups) {
        multiply_chunk<Format, kPairs, kGroups>(panel, group, chunk, count, b == 0, to + group * kGroupRows,
                                                stride);
      }
    }
  }
}

}  // namespace
}  // namespace emberline
