// Integer products of a part with SMLAL, for processors without the dot product extension: 2 weight rows
// times 4 columns an instruction, summed in 16 bits for as long as they fit. Included by
// kernels_neon_mull.cpp alone.
#pragma once

#include <string.h>

#include "device/cpu/kernels/neon_formats.h"

namespace emberline {
namespace {

// Sums of 4 weight rows and each of 4 columns, in 16 bits: rows 0 and 1, rows 2 and 3.
struct ShortSums {
  int16x8_t low, high;
};

inline ShortSums multiply_first(int8x16_t weights, int8x16_t x) {
  return {vmull_s8(vget_low_s8(weights), vget_low_s8(x)), vmull_high_s8(weights, x)};
}
inline ShortSums multiply_more(ShortSums sums, int8x16_t weights, int8x16_t x) {
  return {vmlal_s8(sums.low, vget_low_s8(weights), vget_low_s8(x)), vmlal_high_s8(sums.high, weights, x)};
}
inline int32x4_t add_columns(int32x4_t dot, ShortSums sums) {
  return vaddq_s32(dot, vpaddq_s32(vpaddlq_s16(sums.low), vpaddlq_s16(sums.high)));
}

// 4 columns in each quarter of a register.
inline int8x16_t repeat_columns(const std::int8_t* x) {
  std::int32_t four;
  memcpy(&four, x, sizeof four);
  return vreinterpretq_s8_s32(vdupq_n_s32(four));
}

// As in neon_dot.h.
template <typename Format, std::size_t kGroups, std::size_t kRows, typename Columns>
inline void multiply_part(const PartOf<typename Format::Block>& part, std::size_t group, const Columns& x,
                          int32x4_t (&dot)[Format::kHalves][kRows][kGroups]) {
  // 8 * 15 * 127 and 8 * 31 * 127 are in range, of a half 4 * 63 * 127, and 2 * 128 * 127 of signed weights,
  // which is a pair of steps.
  constexpr bool kWiden = Format::kBits == 8;
  constexpr std::size_t kHalves = Format::kHalves;
  static_assert(Format::kBits <= 5 || kWiden || (Format::kBits == 6 && kHalves == 2));
  ShortSums sums[kHalves][kRows][kGroups];
  for (std::size_t k = 0; k < kBlockSteps / 2; ++k) {
    StepPair weights[kGroups];
    for (std::size_t g = 0; g < kGroups; ++g) weights[g] = load_steps(part, k, group + g);
    for (std::size_t r = 0; r < kRows; ++r) {
      const int8x16_t low = repeat_columns(x(r) + 4 * k);
      const int8x16_t high = repeat_columns(x(r) + 16 + 4 * k);
      for (std::size_t g = 0; g < kGroups; ++g) {
        ShortSums &of_low = sums[0][r][g], &of_high = sums[kHalves - 1][r][g];
        const bool begins = k == 0 || kWiden;
        of_low = begins ? multiply_first(weights[g].low, low) : multiply_more(of_low, weights[g].low, low);
        of_high = begins && kHalves == 2 ? multiply_first(weights[g].high, high)
                                         : multiply_more(of_high, weights[g].high, high);
        if constexpr (kWiden) dot[0][r][g] = add_columns(dot[0][r][g], of_low);
      }
    }
  }
  if constexpr (!kWiden) {
    for (std::size_t h = 0; h < kHalves; ++h) {
      for (std::size_t r = 0; r < kRows; ++r) {
        for (std::size_t g = 0; g < kGroups; ++g) dot[h][r][g] = add_columns(dot[h][r][g], sums[h][r][g]);
      }
    }
  }
}

}  // namespace
}  // namespace emberline
