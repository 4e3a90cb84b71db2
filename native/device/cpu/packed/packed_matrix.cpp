#include "device/cpu/packed/packed_matrix.h"

#include <algorithm>
#include <cstring>

#include "base/half.h"

namespace emberline {
namespace {

// Where the parts of a block of 32 columns lie in a file, in bytes; -1: it has no such part.
struct FileBlock {
  int bytes, d, m, fifth, quants;
};
constexpr FileBlock kQ4_0Block{18, 0, -1, -1, 2};
constexpr FileBlock kQ4_1Block{20, 0, 2, -1, 4};
constexpr FileBlock kQ5_0Block{22, 0, -1, 2, 6};
constexpr FileBlock kQ5_1Block{24, 0, 2, 4, 8};
constexpr FileBlock kQ8_0Block{34, 0, -1, -1, 2};

// Row i of a block, from its place in a file. 32-bit words of quants stay whole: word k of a row of nibbles
// holds columns 4k.. in its low halves and 16 + 4k.. in its high ones.
template <std::size_t kWords>
void pack_words(const std::uint8_t* from, std::uint8_t (*to)[kPanelRows][4], std::size_t i) {
  for (std::size_t k = 0; k < kWords; ++k) std::memcpy(to[k][i], from + 4 * k, 4);
}

// A byte of a step's fifth bits belongs to two rows: even ones have its low half.
void pack_fifth_bits(const std::uint8_t* from, PackedFifthBits& to, std::size_t i) {
  for (std::size_t s = 0; s < kBlockSteps; ++s) {
    const unsigned bits = (from[s / 2] >> (4 * (s % 2))) & 15u;
    std::uint8_t& both = to[s][i / 2];
    both = static_cast<std::uint8_t>(i % 2 == 0 ? bits : both | (bits << 4));
  }
}

template <typename Block, const FileBlock& kFile>
void pack_row_block(const std::uint8_t* from, Block& to, std::size_t i) {
  std::memcpy(&to.d[i], from + kFile.d, 2);
  if constexpr (kFile.m >= 0) std::memcpy(&to.m[i], from + kFile.m, 2);
  if constexpr (kFile.fifth >= 0) pack_fifth_bits(from + kFile.fifth, to.fifth, i);
  if constexpr (requires { to.nibbles; }) {
    pack_words<kBlockSteps / 2>(from + kFile.quants, to.nibbles, i);
  } else {
    pack_words<kBlockSteps>(from + kFile.quants, reinterpret_cast<std::uint8_t(*)[kPanelRows][4]>(to.quants),
                            i);
  }
}

template <typename Block, const FileBlock& kFile>
void pack_quantized_panel(const MatrixShape& shape, const std::uint8_t* rows, std::size_t count,
                          std::uint8_t* packed) {
  auto* block = reinterpret_cast<Block*>(packed);
  if (count < kPanelRows) std::memset(packed, 0, shape.panel_bytes());
  const std::size_t row_bytes = shape.source_row_bytes();
  for (std::size_t b = 0; b < shape.columns / kBlockElements; ++b, ++block, rows += kFile.bytes) {
    for (std::size_t i = 0; i < count; ++i) pack_row_block<Block, kFile>(rows + i * row_bytes, *block, i);
  }
}

template <typename Element>
void pack_columns(const MatrixShape& shape, const std::uint8_t* rows, std::size_t count,
                  std::uint8_t* packed) {
  std::memset(packed, 0, shape.panel_bytes());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* row = rows + i * shape.source_row_bytes();
    for (std::size_t c = 0; c < shape.columns; ++c) {
      std::memcpy(packed + (c * kPanelRows + i) * sizeof(Element), row + c * sizeof(Element),
                  sizeof(Element));
    }
  }
}

void pack_bf16_panel(const MatrixShape& shape, const std::uint8_t* rows, std::size_t count,
                     std::uint8_t* packed) {
  std::memset(packed, 0, shape.panel_bytes());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* row = rows + i * shape.source_row_bytes();
    for (std::size_t c = 0; c < shape.columns; ++c) {
      std::memcpy(packed + c / 2 * sizeof(PackedBf16) + i * 4 + c % 2 * 2, row + c * 2, 2);
    }
  }
}

void pack_panel(const MatrixShape& shape, const std::uint8_t* rows, std::size_t count, std::uint8_t* packed) {
  switch (shape.type) {
    case TensorType::kF32: return pack_columns<float>(shape, rows, count, packed);
    case TensorType::kF16: return pack_columns<std::uint16_t>(shape, rows, count, packed);
    case TensorType::kBF16: return pack_bf16_panel(shape, rows, count, packed);
    case TensorType::kQ4_0: return pack_quantized_panel<PackedQ4_0, kQ4_0Block>(shape, rows, count, packed);
    case TensorType::kQ4_1: return pack_quantized_panel<PackedQ4_1, kQ4_1Block>(shape, rows, count, packed);
    case TensorType::kQ5_0: return pack_quantized_panel<PackedQ5_0, kQ5_0Block>(shape, rows, count, packed);
    case TensorType::kQ5_1: return pack_quantized_panel<PackedQ5_1, kQ5_1Block>(shape, rows, count, packed);
    case TensorType::kQ8_0: return pack_quantized_panel<PackedQ8_0, kQ8_0Block>(shape, rows, count, packed);
  }
}

// Row i of a block as out[32].
template <typename Block>
void widen_block(const Block& block, std::size_t i, int zero_point, float* out) {
  const float d = f16_to_f32(block.d[i]);
  float m = 0.0f;
  if constexpr (requires { block.m; }) m = f16_to_f32(block.m[i]);
  for (std::size_t c = 0; c < kBlockElements; ++c) {
    int quant;
    if constexpr (requires { block.nibbles; }) {
      const std::uint8_t byte = block.nibbles[c % 16 / 4][i][c % 4];
      quant = c < 16 ? byte & 15 : byte >> 4;
    } else {
      quant = block.quants[c / 4][i][c % 4];
    }
    if constexpr (requires { block.fifth; }) {
      const unsigned byte = block.fifth[c / 4][i / 2];
      quant |= static_cast<int>((byte >> (4 * (i % 2) + c % 4)) & 1u) << 4;
    }
    out[c] = d * static_cast<float>(quant - zero_point) + m;
  }
}

template <typename Block>
void widen_blocks(const std::uint8_t* panel, std::size_t columns, std::size_t i, int zero_point, float* out) {
  const auto* block = reinterpret_cast<const Block*>(panel);
  for (std::size_t c = 0; c < columns; c += kBlockElements) widen_block(*block++, i, zero_point, out + c);
}

}  // namespace

std::size_t MatrixShape::panel_bytes() const {
  switch (type) {
    case TensorType::kF32: return columns * sizeof(PackedF32);
    case TensorType::kF16: return columns * sizeof(PackedF16);
    case TensorType::kBF16: return (columns + 1) / 2 * sizeof(PackedBf16);
    default: return kPanelRows * source_row_bytes();
  }
}

void pack_panels(const MatrixShape& shape, const std::uint8_t* source, std::size_t first, std::size_t count,
                 std::uint8_t* packed) {
  for (std::size_t panel = first; panel < first + count; ++panel) {
    const std::size_t row = panel * kPanelRows;
    pack_panel(shape, source + row * shape.source_row_bytes(), std::min(kPanelRows, shape.rows - row),
               packed + panel * shape.panel_bytes());
  }
}

void widen_packed_row(const MatrixShape& shape, const std::uint8_t* packed, std::size_t row, float* out) {
  const std::uint8_t* panel = packed + row / kPanelRows * shape.panel_bytes();
  const std::size_t i = row % kPanelRows, columns = shape.columns;
  switch (shape.type) {
    case TensorType::kF32:
      for (std::size_t c = 0; c < columns; ++c)
        out[c] = reinterpret_cast<const PackedF32*>(panel)[c].values[i];
      return;
    case TensorType::kF16:
      for (std::size_t c = 0; c < columns; ++c)
        out[c] = f16_to_f32(reinterpret_cast<const PackedF16*>(panel)[c].values[i]);
      return;
    case TensorType::kBF16:
      for (std::size_t c = 0; c < columns; ++c)
        out[c] = bf16_to_f32(reinterpret_cast<const PackedBf16*>(panel)[c / 2].values[i][c % 2]);
      return;
    case TensorType::kQ4_0: return widen_blocks<PackedQ4_0>(panel, columns, i, 8, out);
    case TensorType::kQ4_1: return widen_blocks<PackedQ4_1>(panel, columns, i, 0, out);
    case TensorType::kQ5_0: return widen_blocks<PackedQ5_0>(panel, columns, i, 16, out);
    case TensorType::kQ5_1: return widen_blocks<PackedQ5_1>(panel, columns, i, 0, out);
    case TensorType::kQ8_0: return widen_blocks<PackedQ8_0>(panel, columns, i, 0, out);
  }
}

}  // namespace emberline
