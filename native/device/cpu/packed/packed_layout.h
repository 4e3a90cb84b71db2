// How the CPU device keeps weight matrices: 16 rows side by side, so that one vector of activations, or four
// broadcast bytes of it, meets 16 rows at once and a product needs no sums across a register.
//
// A matrix is a sequence of panels, each of 16 rows (those past the last row are zero); a panel is a sequence
// of the blocks below, one for each 32 columns of a quantised type and for each one or two columns of a float
// type. A quantised panel takes exactly as many bytes as its 16 rows in a GGUF file (gguf/tensor_type.h has
// those formats and the formulas). One layout serves every kernel set.
//
// Plain data alone: kernels_*.cpp include this (kernels.h has the rules).
#pragma once

#include <cstddef>
#include <cstdint>

namespace emberline {

constexpr std::size_t kPanelRows = 16;
constexpr std::size_t kBlockElements = 32;  // columns of a quantised block
constexpr std::size_t kBlockSteps = 8;      // groups of 4 neighbouring columns in a block

// Nibble byte [k][i][j]: low, column 4k + j of row i; high, column 16 + 4k + j.
using PackedNibbles = std::uint8_t[kBlockSteps / 2][kPanelRows][4];
// Fifth bits of step s: bit 4i + j of the 64 (least significant byte first) belongs to column 4s + j of row
// i.
using PackedFifthBits = std::uint8_t[kBlockSteps][8];

struct PackedQ4_0 {
  PackedNibbles nibbles;
  std::uint16_t d[kPanelRows];  // f16
};
struct PackedQ4_1 {
  PackedNibbles nibbles;
  std::uint16_t d[kPanelRows], m[kPanelRows];
};
struct PackedQ5_0 {
  PackedNibbles nibbles;
  PackedFifthBits fifth;
  std::uint16_t d[kPanelRows];
};
struct PackedQ5_1 {
  PackedNibbles nibbles;
  PackedFifthBits fifth;
  std::uint16_t d[kPanelRows], m[kPanelRows];
};
struct PackedQ8_0 {
  std::int8_t quants[kBlockSteps][kPanelRows][4];  // column 4k + j of row i
  std::uint16_t d[kPanelRows];
};
struct PackedF32 {
  float values[kPanelRows];  // one column
};
struct PackedF16 {
  std::uint16_t values[kPanelRows];  // one column
};
struct PackedBf16 {
  std::uint16_t values[kPanelRows][2];  // two neighbouring columns; the second is zero past the last column
};
static_assert(sizeof(PackedQ4_0) == 288 && sizeof(PackedQ4_1) == 320 && sizeof(PackedQ5_0) == 352 &&
              sizeof(PackedQ5_1) == 384 && sizeof(PackedQ8_0) == 544);

}  // namespace emberline
