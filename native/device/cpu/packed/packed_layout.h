// How the CPU device keeps weight matrices: 16 rows side by side, so that one vector of activations, or four
// broadcast bytes of it, meets 16 rows at once and a product needs no sums across a register.
//
// A matrix is a sequence of panels, each of 16 rows (those past the last row are zero); a panel is a sequence
// of the blocks below, one for each 32 columns of a quantised type (256 of one with super-blocks) and for
// each one or two columns of a float type. gguf/tensor_type.h has the formats of files and the formulas. One
// layout serves every kernel set.
//
// A panel takes as many bytes as its 16 rows in a file, but for these: scales and minima of fewer than 8 bits
// have a byte each (an eighth of a bit more a weight in Q3_K, Q4_K and Q5_K, a sixteenth in IQ4_XS, half of
// one in Q2_K), and the scale of an MXFP4 block is a half float.
//
// Plain data alone: kernels_*.cpp include this (kernels.h has the rules).
#pragma once

#include <cstddef>
#include <cstdint>

namespace emberline {

constexpr std::size_t kPanelRows = 16;
constexpr std::size_t kBlockElements = 32;   // columns of a quantised block
constexpr std::size_t kBlockSteps = 8;       // groups of 4 neighbouring columns in a block
constexpr std::size_t kSuperBlockParts = 8;  // of 32 columns
constexpr std::size_t kSuperBlockElements = kSuperBlockParts * kBlockElements;

// Nibble byte [k][i][j]: low, column 4k + j of row i; high, column 16 + 4k + j.
using PackedNibbles = std::uint8_t[kBlockSteps / 2][kPanelRows][4];
// One bit a column, of step s: bit 4i + j of the 64 (least significant byte first) belongs to column 4s + j
// of row i.
using PackedSingleBits = std::uint8_t[kBlockSteps][8];

// Upper bits [h][i][j]: bits 2t and 2t + 1 belong to column 16h + 4t + j of row i.
using PackedUpperBits = std::uint8_t[2][kPanelRows][4];

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
  PackedSingleBits fifth;
  std::uint16_t d[kPanelRows];
};
struct PackedQ5_1 {
  PackedNibbles nibbles;
  PackedSingleBits fifth;
  std::uint16_t d[kPanelRows], m[kPanelRows];
};
struct PackedQ8_0 {
  std::int8_t quants[kBlockSteps][kPanelRows][4];  // column 4k + j of row i
  std::uint16_t d[kPanelRows];
};
// Nibbles that stand for the numbers of a table.
struct PackedIQ4_NL {
  static constexpr std::int8_t kTable[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                             1,    13,   25,  38,  53,  69,  89,  113};
  PackedNibbles codes;
  std::uint16_t d[kPanelRows];
};
struct PackedMXFP4 {
  static constexpr std::int8_t kTable[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                             0, -1, -2, -3, -4, -6, -8, -12};  // doubled
  PackedNibbles codes;
  std::uint16_t d[kPanelRows];  // half of the block's scale
};

// Super-blocks: the scale of a part is d * scales, its minimum m * minima (both exact in a float). Where a
// part has two, they are of its first 16 columns and of the others. They come first: behind the parts they
// would be read long before those, and what is fetched ahead would come late.
template <std::size_t kHalves>
using PackedScales = std::int8_t[kSuperBlockParts][kHalves][kPanelRows];

template <typename Weights, std::size_t kHalves>
struct PackedSuperBlock {
  using Part = Weights;
  std::uint16_t d[kPanelRows];
  PackedScales<kHalves> scales;
  Part parts[kSuperBlockParts];
};
template <typename Weights, std::size_t kHalves>
struct PackedSuperBlockWithMinima {
  using Part = Weights;
  std::uint16_t d[kPanelRows], m[kPanelRows];
  PackedScales<kHalves> scales, minima;
  Part parts[kSuperBlockParts];
};

// Their parts.
struct Packed4Bits {
  PackedNibbles nibbles;
};
struct Packed5Bits {
  PackedNibbles nibbles;
  PackedSingleBits fifth;
};
struct Packed6Bits {
  PackedNibbles nibbles;
  PackedUpperBits upper;
};
// Bits that have their places in a number of 6 bits, of which the lower are zero: what is multiplied is q
// over kUnit.
struct Packed2Bits {
  static constexpr float kUnit = 1.0f / 16.0f;
  PackedUpperBits upper;
};
struct Packed3Bits {
  static constexpr float kUnit = 1.0f / 8.0f;
  PackedUpperBits upper;
  PackedSingleBits fourth;  // from below
};
struct PackedCodes {
  static constexpr const std::int8_t (&kTable)[16] = PackedIQ4_NL::kTable;
  PackedNibbles codes;
};

using PackedQ2_K = PackedSuperBlockWithMinima<Packed2Bits, 2>;
using PackedQ3_K = PackedSuperBlock<Packed3Bits, 2>;
using PackedQ4_K = PackedSuperBlockWithMinima<Packed4Bits, 1>;
using PackedQ5_K = PackedSuperBlockWithMinima<Packed5Bits, 1>;
using PackedQ6_K = PackedSuperBlock<Packed6Bits, 2>;
using PackedIQ4_XS = PackedSuperBlock<PackedCodes, 1>;

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
              sizeof(PackedQ5_1) == 384 && sizeof(PackedQ8_0) == 544 && sizeof(PackedIQ4_NL) == 288 &&
              sizeof(PackedMXFP4) == 288);
static_assert(sizeof(PackedQ4_K) == 2368 && sizeof(PackedQ5_K) == 2880 && sizeof(PackedQ2_K) == 1600 &&
              sizeof(PackedQ3_K) == 1824 && sizeof(PackedQ6_K) == 3360 && sizeof(PackedIQ4_XS) == 2208);

}  // namespace emberline
