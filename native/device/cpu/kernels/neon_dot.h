// Integer products of a block with SDOT by lane, of ARMv8.2's dot product extension: 4 weight rows times 4
// columns an instruction. Included by the kernels_neon*.cpp files that are compiled for it alone.
#pragma once

#include "device/cpu/kernels/neon_formats.h"

namespace emberline {
namespace {

// 32 columns of a row of x.
struct LoadedColumns {
  int8x16_t low, high;
};

template <int kStep, std::size_t kGroups, std::size_t kRows, typename Block>
inline void multiply_steps(const Block& block, std::size_t group, const LoadedColumns x[kRows],
                           int32x4_t dot[kRows][kGroups]) {
  for (std::size_t g = 0; g < kGroups; ++g) {
    const StepPair weights = load_steps(block, kStep, group + g);
    for (std::size_t r = 0; r < kRows; ++r) {
      dot[r][g] = vdotq_laneq_s32(dot[r][g], weights.low, x[r].low, kStep);
      dot[r][g] = vdotq_laneq_s32(dot[r][g], weights.high, x[r].high, kStep);
    }
  }
}

// Adds to dot[r][g] the products of weight rows 4 * (group + g) .. + 3 with the 32 columns at x(r).
template <typename Format, std::size_t kGroups, std::size_t kRows, typename Columns>
inline void multiply_block(const typename Format::Block& block, std::size_t group, const Columns& x,
                           int32x4_t dot[kRows][kGroups]) {
  LoadedColumns columns[kRows];
  for (std::size_t r = 0; r < kRows; ++r) {
    columns[r] = {vld1q_s8(x(r)), vld1q_s8(x(r) + 16)};
  }
  multiply_steps<0, kGroups, kRows>(block, group, columns, dot);
  multiply_steps<1, kGroups, kRows>(block, group, columns, dot);
  multiply_steps<2, kGroups, kRows>(block, group, columns, dot);
  multiply_steps<3, kGroups, kRows>(block, group, columns, dot);
}

}  // namespace
}  // namespace emberline
