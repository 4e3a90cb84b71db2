#include "device/cpu/packed/packed_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/half.h"
#include "device/cpu/packed/packed_parts.h"
#include "device/cpu/packed/transpose_words.h"
#include "gguf/super_block.h"

namespace emberline {
namespace {

constexpr std::size_t kLargestBlockBytes = 210;  // of all types; 32 floats are 128

// Fifth bits of rows i and i + 1, which share bytes: the even row has their low halves.
void pack_fifth_bits(std::uint32_t even, std::uint32_t odd, PackedSingleBits& to, std::size_t i) {
  const std::uint32_t low = (even & 0x0F0F0F0Fu) | (odd & 0x0F0F0F0Fu) << 4;
  const std::uint32_t high = (even >> 4 & 0x0F0F0F0Fu) | (odd & 0xF0F0F0F0u);
  for (std::size_t s = 0; s < kBlockSteps; s += 2) {
    to[s][i / 2] = static_cast<std::uint8_t>(low >> (4 * s));
    to[s + 1][i / 2] = static_cast<std::uint8_t>(high >> (4 * s));
  }
}

std::uint32_t little_endian_word(const std::uint8_t* bytes) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
}

// Of an MXFP4 block's scale 2^(exponent - 127) the half, which the doubled table asks for, as the nearest
// half float.
std::uint16_t half_of_power(std::uint8_t exponent) {
  return f32_to_f16(std::ldexp(1.0f, static_cast<int>(exponent) - 128));
}

template <typename Block>
auto& nibbles_of(Block& block) {
  if constexpr (requires { block.codes; }) {
    return block.codes;
  } else {
    return block.nibbles;
  }
}

// A block of 16 rows, the first at `from`. A row's has its scale (two bytes, or an exponent), minimum, fifth
// bits and quants, in this order, as far as the type has them. 32-bit words of quants stay whole: word k of a
// row of nibbles holds columns 4k.. in its low halves and 16 + 4k.. in its high ones.
template <typename Block>
void pack_block(const std::uint8_t* from, std::size_t row_bytes, Block& to) {
  constexpr bool kHasMinimum = requires { to.m; }, kHasFifth = requires { to.fifth; };
  constexpr bool kHasExponent = std::is_same_v<Block, PackedMXFP4>;
  constexpr std::size_t kMinimum = kHasExponent ? 1 : 2, kFifth = kMinimum + (kHasMinimum ? 2 : 0);
  const std::uint8_t* quants = from + kFifth + (kHasFifth ? 4 : 0);
  if constexpr (requires { to.nibbles; } || requires { to.codes; }) {
    transpose_words(quants, row_bytes, nibbles_of(to));
  } else {
    auto* words = reinterpret_cast<std::uint8_t(*)[kPanelRows][4]>(to.quants);
    transpose_words(quants, row_bytes, words);
    transpose_words(quants + 16, row_bytes, words + 4);
  }
  for (std::size_t i = 0; i < kPanelRows; ++i) {
    const std::uint8_t* row = from + i * row_bytes;
    if constexpr (kHasExponent) {
      to.d[i] = half_of_power(*row);
    } else {
      std::memcpy(&to.d[i], row, 2);
    }
    if constexpr (kHasMinimum) std::memcpy(&to.m[i], row + kMinimum, 2);
    if constexpr (kHasFifth) {
      if (i % 2 == 0)
        pack_fifth_bits(little_endian_word(row + kFifth), little_endian_word(row + row_bytes + kFifth),
                        to.fifth, i);
    }
  }
}

template <typename Block>
void pack_quantized_panel(const MatrixShape& shape, const std::uint8_t* rows, std::uint8_t* packed) {
  auto* block = reinterpret_cast<Block*>(packed);
  const std::size_t row_bytes = shape.source_row_bytes(), block_bytes = traits(shape.type).block_bytes;
  for (std::size_t at = 0; at < row_bytes; at += block_bytes, ++block)
    pack_block(rows + at, row_bytes, *block);
}

// Puts bit `shift` of 32 columns into row i.
void put_bits(const std::uint8_t (&quants)[kBlockElements], unsigned shift, std::size_t i,
              PackedSingleBits& to) {
  for (std::size_t s = 0; s < kBlockSteps; ++s) {
    unsigned bits = 0;
    for (std::size_t j = 0; j < 4; ++j) bits |= (quants[4 * s + j] >> shift & 1u) << j;
    std::uint8_t& byte = to[s][i / 2];
    byte = static_cast<std::uint8_t>(i % 2 == 0 ? bits : byte | bits << 4);
  }
}

// Puts 32 columns of a super-block into row i.
template <typename Part>
void put_weights(const std::uint8_t (&quants)[kBlockElements], std::size_t i, Part& to) {
  if constexpr (requires { to.nibbles; } || requires { to.codes; }) {
    PackedNibbles& nibbles = nibbles_of(to);
    for (std::size_t c = 0; c < 16; ++c) {
      nibbles[c / 4][i][c % 4] = static_cast<std::uint8_t>((quants[c] & 15) | (quants[16 + c] & 15) << 4);
    }
  }
  if constexpr (requires { to.fifth; }) put_bits(quants, 4, i, to.fifth);
  if constexpr (requires { to.fourth; }) put_bits(quants, 3, i, to.fourth);
  if constexpr (requires { to.upper; }) {
    for (std::size_t h = 0; h < 2; ++h) {
      for (std::size_t j = 0; j < 4; ++j) {
        unsigned bits = 0;
        for (std::size_t t = 0; t < 4; ++t) bits |= (quants[16 * h + 4 * t + j] >> 4 & 3u) << (2 * t);
        to.upper[h][i][j] = static_cast<std::uint8_t>(bits);
      }
    }
  }
}

template <typename Block>
void put_row(const SuperBlock& from, std::size_t i, Block& to) {
  to.d[i] = from.d;
  if constexpr (requires { to.m; }) to.m[i] = from.m;
  for (std::size_t p = 0; p < kSuperBlockParts; ++p) {
    put_weights(from.parts[p].quants, i, to.parts[p]);
    for (std::size_t h = 0; h < halves_of<Block>(); ++h) {
      to.scales[p][h][i] = from.parts[p].scales[h];
      if constexpr (requires { to.minima; }) to.minima[p][h][i] = from.parts[p].minima[h];
    }
  }
}

template <typename Block>
void pack_super_panel(const MatrixShape& shape, const std::uint8_t* rows, std::uint8_t* packed) {
  auto* block = reinterpret_cast<Block*>(packed);
  const TensorTypeTraits& type = traits(shape.type);
  for (std::size_t at = 0; at < shape.source_row_bytes(); at += type.block_bytes, ++block) {
    for (std::size_t i = 0; i < kPanelRows; ++i)
      put_row(take_apart(shape.type, rows + i * shape.source_row_bytes() + at), i, *block);
  }
}

// Words of float types: one F32 column, two columns of the others. The last is filled up with zeros.
template <typename PutWords>
void pack_float_panel(std::size_t row_bytes, const std::uint8_t* rows, PutWords&& put) {
  std::uint8_t words[4][kPanelRows][4];
  std::size_t at = 0;
  for (; at + sizeof words[0][0] * 4 <= row_bytes; at += 16) {
    transpose_words(rows + at, row_bytes, words);
    for (std::size_t k = 0; k < 4; ++k) put(at / 4 + k, words[k]);
  }
  for (; at < row_bytes; at += 4) {
    std::memset(words[0], 0, sizeof words[0]);
    const std::size_t size = std::min<std::size_t>(4, row_bytes - at);
    for (std::size_t i = 0; i < kPanelRows; ++i) std::memcpy(words[0][i], rows + i * row_bytes + at, size);
    put(at / 4, words[0]);
  }
}

// F32 and BF16 are kept as words.
void pack_words_panel(const MatrixShape& shape, const std::uint8_t* rows, std::uint8_t* packed) {
  static_assert(sizeof(PackedF32) == 4 * kPanelRows && sizeof(PackedBf16) == 4 * kPanelRows);
  pack_float_panel(shape.source_row_bytes(), rows, [&](std::size_t k, const std::uint8_t(*words)[4]) {
    std::memcpy(packed + 64 * k, words, 64);
  });
}

void pack_f16_panel(const MatrixShape& shape, const std::uint8_t* rows, std::uint8_t* packed) {
  auto* columns = reinterpret_cast<PackedF16*>(packed);
  pack_float_panel(shape.source_row_bytes(), rows, [&](std::size_t k, const std::uint8_t(*words)[4]) {
    for (std::size_t half = 0; half < 2 && 2 * k + half < shape.columns; ++half) {
      for (std::size_t i = 0; i < kPanelRows; ++i)
        std::memcpy(&columns[2 * k + half].values[i], words[i] + 2 * half, 2);
    }
  });
}

// A whole panel.
void pack_panel(const MatrixShape& shape, const std::uint8_t* rows, std::uint8_t* packed) {
  with_format(shape.type, [&](auto format) {
    using Block = typename decltype(format)::Block;
    if constexpr (std::is_same_v<Block, PackedF16>) {
      pack_f16_panel(shape, rows, packed);
    } else if constexpr (!format.kIsQuantized) {
      pack_words_panel(shape, rows, packed);
    } else if constexpr (kIsSuperBlock<Block>) {
      pack_super_panel<Block>(shape, rows, packed);
    } else {
      pack_quantized_panel<Block>(shape, rows, packed);
    }
  });
}

// The last panel of a matrix may have fewer rows: zeros stand for the others. Some columns at a time, so that
// the filled-up rows need no memory that might not be there.
void pack_short_panel(const MatrixShape& shape, const std::uint8_t* rows, std::size_t count,
                      std::uint8_t* packed) {
  std::uint8_t filled[kPanelRows * kLargestBlockBytes] = {};
  const std::size_t columns = std::max<std::size_t>(kBlockElements, traits(shape.type).block_elements);
  for (std::size_t c = 0; c < shape.columns; c += columns) {
    const MatrixShape part{shape.type, kPanelRows, std::min(columns, shape.columns - c)};
    const std::size_t bytes = part.source_row_bytes();
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(filled + i * bytes, rows + i * shape.source_row_bytes(), bytes);
    }
    std::memset(filled + count * bytes, 0, (kPanelRows - count) * bytes);
    pack_panel(part, filled, packed);
    rows += bytes;
    packed += part.panel_bytes();
  }
}

int bit_of(const PackedSingleBits& bits, std::size_t i, std::size_t c) {
  return bits[c / 4][i / 2] >> (4 * (i % 2) + c % 4) & 1;
}

// Column c of row i of a part, before its zero point is taken off.
template <typename Part>
int weight_of(const Part& part, std::size_t i, std::size_t c) {
  int quant = 0;
  if constexpr (requires { part.nibbles; } || requires { part.codes; }) {
    const std::uint8_t byte = nibbles_of(part)[c % 16 / 4][i][c % 4];
    quant = c < 16 ? byte & 15 : byte >> 4;
    if constexpr (requires { Part::kTable; }) quant = Part::kTable[quant];
  } else if constexpr (requires { part.quants; }) {
    quant = part.quants[c / 4][i][c % 4];
  }
  if constexpr (requires { part.fifth; }) quant |= bit_of(part.fifth, i, c) << 4;
  if constexpr (requires { part.fourth; }) quant |= bit_of(part.fourth, i, c) << 3;
  if constexpr (requires { part.upper; }) {
    quant |= (part.upper[c / 16][i][c % 4] >> (2 * (c % 16 / 4)) & 3) << 4;
  }
  return quant;
}

// Row i of a panel as out[columns].
template <typename Format>
void widen_blocks(const typename Format::Block* blocks, std::size_t columns, std::size_t i, float* out) {
  using Block = typename Format::Block;
  for (std::size_t c = 0; c < columns; ++c) {
    const std::size_t p = c / kBlockElements % Format::kParts, in_part = c % kBlockElements;
    const Block& block = blocks[c / kBlockElements / Format::kParts];
    float d = f16_to_f32(block.d[i]), m = 0.0f;
    if constexpr (requires { block.m; }) m = f16_to_f32(block.m[i]);
    if constexpr (kIsSuperBlock<Block>) {
      const std::size_t h = Format::kHalves == 1 ? 0 : in_part / 16;
      d *= block.scales[p][h][i];
      if constexpr (requires { block.minima; }) m *= block.minima[p][h][i];
    }
    if constexpr (requires { PartOf<Block>::kUnit; }) d *= PartOf<Block>::kUnit;
    const int weight = weight_of(parts_of(block)[p], i, in_part) - Format::kZeroPoint;
    out[c] = d * static_cast<float>(weight) + m;
  }
}

float value_of(const PackedF32* blocks, std::size_t i, std::size_t c) {
  return blocks[c].values[i];
}
float value_of(const PackedF16* blocks, std::size_t i, std::size_t c) {
  return f16_to_f32(blocks[c].values[i]);
}
float value_of(const PackedBf16* blocks, std::size_t i, std::size_t c) {
  return bf16_to_f32(blocks[c / 2].values[i][c % 2]);
}

}  // namespace

std::size_t MatrixShape::panel_bytes() const {
  return with_format(type, [&](auto format) {
    using Block = typename decltype(format)::Block;
    constexpr std::size_t kColumns = format.kIsQuantized                 ? kBlockElements * format.kParts
                                     : std::is_same_v<Block, PackedBf16> ? 2
                                                                         : 1;
    return (columns + kColumns - 1) / kColumns * sizeof(Block);
  });
}

void pack_panels(const MatrixShape& shape, const std::uint8_t* source, std::size_t first, std::size_t count,
                 std::uint8_t* packed) {
  const std::size_t panel_source_bytes = kPanelRows * shape.source_row_bytes();
  for (std::size_t panel = first; panel < first + count; ++panel) {
    const std::uint8_t* rows = source + panel * panel_source_bytes;
    std::uint8_t* to = packed + panel * shape.panel_bytes();
    const std::size_t left = shape.rows - panel * kPanelRows;
    if (left < kPanelRows) {
      pack_short_panel(shape, rows, left, to);
    } else {
      pack_panel(shape, rows, to);
    }
  }
}

void widen_packed_row(const MatrixShape& shape, const std::uint8_t* packed, std::size_t row, float* out) {
  const std::uint8_t* panel = packed + row / kPanelRows * shape.panel_bytes();
  const std::size_t i = row % kPanelRows, columns = shape.columns;
  with_format(shape.type, [&](auto format) {
    using Format = decltype(format);
    const auto* blocks = reinterpret_cast<const typename Format::Block*>(panel);
    if constexpr (Format::kIsQuantized) {
      widen_blocks<Format>(blocks, columns, i, out);
    } else {
      for (std::size_t c = 0; c < columns; ++c) out[c] = value_of(blocks, i, c);
    }
  });
}

}  // namespace emberline
