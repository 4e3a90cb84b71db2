// Integer products of a part with SDOT by lane, of ARMv8.2's dot product extension: 4 weight rows times 4
// columns an instruction. Included by the kernels_neon*.cpp files that are compiled for it alone.
#pragma once

#include "device/cpu/kernels/neon_formats.h"

namespace emberline {
namespace {

// 32 columns of a row of x.
struct LoadedColumns {
  int8x16_t low, high;
};

template <int kStep, std::size_t kGroups, std::size_t kRows, std::size_t kHalves, typename Part>
inline void multiply_steps(const Part& part, std::size_t group, const LoadedColumns x[kRows],
                           int32x4_t (&dot)[kHalves][kRows][kGroups]) {
  for (std::size_t g = 0; g < kGroups; ++g) {
    const StepPair weights = load_steps(part, kStep, group + g);
    for (std::size_t r = 0; r < kRows; ++r) {
      int32x4_t &low = dot[0][r][g], &high = dot[kHalves - 1][r][g];
      low = vdotq_laneq_s32(low, weights.low, x[r].low, kStep);
      high = vdotq_laneq_s32(high, weights.high, x[r].high, kStep);
    }
  }
}

// Adds to dot[0][r][g] the products of weight rows 4 * (group + g) .. + 3 with the 32 columns at x(r); of a
// format with two halves those of the second to dot[1][r][g].
template <typename Format, std::size_t kGroups, std::size_t kRows, typename Columns>
inline void multiply_part(const PartOf<typename Format::Block>& part, std::size_t group, const Columns& x,
                          int32x4_t (&dot)[Format::kHalves][kRows][kGroups]) {
  LoadedColumns columns[kRows];
  for (std::size_t r = 0; r < kRows; ++r) {
    columns[r] = {vld1q_s8(x(r)), vld1q_s8(x(r) + 16)};
  }
  multiply_steps<0, kGroups, kRows>(part, group, columns, dot);
  multiply_steps<1, kGroups, kRows>(part, group, columns, dot);
  multiply_steps<2, kGroups, kRows>(part, group, columns, dot);
  multiply_steps<3, kGroups, kRows>(part, group, columns, dot);
}

}  // namespace
}  // namespace emberline
