// Products with quantised weights, 8 or 16 rows of a panel with one to four of x at a time. Included by the
// kernels_neon*.cpp files alone, after they have defined
//   multiply_part<Format, kGroups, kRows>(part, group, x, dot)   (see neon_dot.h)
#pragma once

#include "device/cpu/kernels/neon_formats.h"

namespace emberline {
namespace {

// Rows [4 * group, 4 * (group + kGroups)) of a panel with kRows rows of x.
template <typename Format, std::size_t kGroups, std::size_t kRows, bool kFine>
inline void multiply_rows(const std::uint8_t* panel, std::size_t group, const ActivationRows& x,
                          std::size_t row, float* y, std::size_t stride) {
  constexpr std::size_t kTimes = kFine ? 2 : 1, kHalves = Format::kHalves;
  const std::size_t blocks = x.width / kBlockElements;
  float32x4_t sums[kRows][kGroups];
  for (auto& of_row : sums) {
    for (float32x4_t& sum : of_row) sum = vdupq_n_f32(0.0f);
  }
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto& block = reinterpret_cast<const typename Format::Block*>(panel)[b / Format::kParts];
    const std::size_t part = b % Format::kParts;
    const std::size_t at = row * x.width + b * kBlockElements, scale = row * blocks + b;
    // A finely quantised row counts as two, so that weights are unpacked once: [kRows, 2 * kRows) are its
    // fine parts.
    const auto columns = [&](std::size_t r) {
      return r < kRows ? x.quants + at + r * x.width : x.fine + at + (r - kRows) * x.width;
    };
    int32x4_t dot[kHalves][kTimes * kRows][kGroups];
    for (std::size_t r = 0; r < kRows; ++r) {
      const std::int32_t whole = x.offsets[scale + r * blocks], first = x.first_offsets[scale + r * blocks];
      for (std::size_t h = 0; h < kHalves; ++h) {
        const std::int32_t offset = kOffsets<Format> * (kHalves == 1 ? whole
                                                        : h == 0     ? first
                                                                     : whole - first);
        for (std::size_t g = 0; g < kGroups; ++g) {
          dot[h][r][g] = vdupq_n_s32(kFine ? 0 : offset);
          if constexpr (kFine) dot[h][kRows + r][g] = vdupq_n_s32(offset);
        }
      }
    }
    multiply_part<Format, kGroups, kTimes * kRows>(parts_of(block)[part], group, columns, dot);
    if constexpr (kFine) {
      for (auto& half : dot) {
        for (std::size_t r = 0; r < kRows; ++r) {
          for (std::size_t g = 0; g < kGroups; ++g) {
            half[r][g] = vmlaq_n_s32(half[kRows + r][g], half[r][g], kFineStep);
          }
        }
      }
    }
    for (std::size_t g = 0; g < kGroups; ++g) {
      for (std::size_t h = 0; h < kHalves; ++h) {
        const float32x4_t d = scales_of(block, part, h, (group + g) * kGroupRows);
        for (std::size_t r = 0; r < kRows; ++r) {
          const float32x4_t scaled = vmulq_n_f32(d, x.scales[scale + r * blocks]);
          sums[r][g] = vfmaq_f32(sums[r][g], scaled, vcvtq_f32_s32(dot[h][r][g]));
        }
      }
      if constexpr (requires { block.m; }) {
        for (std::size_t h = 0; h < kHalves; ++h) {
          const float32x4_t m = minima_of(block, part, h, (group + g) * kGroupRows);
          for (std::size_t r = 0; r < kRows; ++r) {
            const std::size_t of = scale + r * blocks;
            const std::int32_t first = x.first_offsets[of];
            const float sum =
                kHalves == 1 ? x.sums[of] : half_sum(x.scales[of], h == 0 ? first : x.offsets[of] - first);
            sums[r][g] = vfmaq_f32(sums[r][g], m, vdupq_n_f32(sum));
          }
        }
      }
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t g = 0; g < kGroups; ++g) {
      vst1q_f32(y + (row + r) * stride + (group + g) * kGroupRows, sums[r][g]);
    }
  }
}

constexpr std::size_t kPanelGroups = kPanelRows / kGroupRows;

// Rows [first, x.rows) of x with one panel: as many at a time with half of it as the registers hold, then one
// at a time with all of it.
template <typename Format, bool kFine>
inline void multiply_panel(const std::uint8_t* panel, const ActivationRows& x, std::size_t first, float* y,
                           std::size_t stride) {
  constexpr std::size_t kRows = kFine ? 2 : 4;
  std::size_t r = first;
  for (; r + kRows <= x.rows; r += kRows) {
    multiply_rows<Format, 2, kRows, kFine>(panel, 0, x, r, y, stride);
    multiply_rows<Format, 2, kRows, kFine>(panel, 2, x, r, y, stride);
  }
  for (; r < x.rows; ++r) multiply_rows<Format, kPanelGroups, 1, kFine>(panel, 0, x, r, y, stride);
}

template <typename Format>
void multiply_rows_from(std::size_t first, const Panels& panels, const ActivationRows& x, float* y,
                        std::size_t stride) {
  for (std::size_t p = 0; p < panels.count; ++p, y += kPanelRows) {
    const std::uint8_t* panel = panels.data + p * panels.panel_bytes;
    if (x.fine != nullptr) {
      multiply_panel<Format, true>(panel, x, first, y, stride);
    } else {
      multiply_panel<Format, false>(panel, x, first, y, stride);
    }
  }
}

}  // namespace
}  // namespace emberline
