// Products of quantised panels with rows of activations, for any processor. Included by kernels_portable.cpp
// alone.
//
// A part of a panel is unpacked once, to 16 bits, and then meets every row of x. Integers are multiplied and
// added up in 16 bits: what every processor has a vector of 8 of, and of which one register holds twice as
// many as of 32 bits. Sums move on to 32 bits before they can overflow.
#pragma once

#include "simd/portable/lanes.h"

#include "base/half.h"
#include "device/cpu/kernels/kernels.h"
#include "device/cpu/kernels/unroll.h"
#include "device/cpu/packed/packed_parts.h"

namespace emberline {
namespace {

constexpr std::size_t kStepWeights = kPanelRows * 4;  // of a step: 4 columns of each row of a panel

// A part of a panel, before the zero point is taken off: of step s, column 4s + j of row i at 4i + j.
struct UnpackedPart {
  alignas(16) std::int16_t steps[kBlockSteps][kStepWeights];
  // The second: of formats whose halves have their own. m: of those with a minimum.
  float d[2][kPanelRows], m[2][kPanelRows];
};

// As many steps as 16 bits hold the sum of the products of, one product a step. The weights reach 31, 63 in 6
// bits, or -128 in 8, and |x| <= 127: 8 * 31 * 127 = 31496, 4 * 63 * 127 = 32004 and 2 * 128 * 127 = 32512.
constexpr std::size_t steps_together(int bits) {
  return bits == 8 ? 2 : bits == 6 ? 4 : kBlockSteps;
}
static_assert(kBlockSteps * 31 * 127 < 32768 && 4 * 63 * 127 < 32768 && 2 * 128 * 127 < 32768);

struct SpreadBits {
  alignas(16) std::int16_t of_byte[256][8];  // a value where bit i of the byte is set
};
constexpr SpreadBits spread_bits(std::size_t value) {
  SpreadBits bits{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    for (std::size_t i = 0; i < 8; ++i)
      bits.of_byte[byte][i] = static_cast<std::int16_t>((byte >> i & 1) * value);
  }
  return bits;
}
constexpr SpreadBits kFourthBits = spread_bits(8), kFifthBits = spread_bits(16);

inline void add_single_bits(const PackedSingleBits& bits, const SpreadBits& spread, UnpackedPart* to) {
  for (std::size_t s = 0; s < kBlockSteps; ++s) {
    for (std::size_t i = 0; i < kStepWeights; i += 8) {
      const Shorts values = load_lanes<Shorts>(spread.of_byte[bits[s][i / 8]]);
      store_lanes(to->steps[s] + i, load_lanes<Shorts>(to->steps[s] + i) + values);
    }
  }
}

// The scales and minima of a part.
template <typename Block>
void unpack_scales(const Block& block, std::size_t part, UnpackedPart* to) {
  for (std::size_t h = 0; h < halves_of<Block>(); ++h) {
    for (std::size_t i = 0; i < kPanelRows; ++i) {
      to->d[h][i] = f16_to_f32(block.d[i]);
      if constexpr (kIsSuperBlock<Block>) to->d[h][i] *= block.scales[part][h][i];
      if constexpr (requires { PartOf<Block>::kUnit; }) to->d[h][i] *= PartOf<Block>::kUnit;
      if constexpr (requires { block.m; }) to->m[h][i] = f16_to_f32(block.m[i]);
      if constexpr (requires { block.minima; }) to->m[h][i] *= block.minima[part][h][i];
    }
  }
}

template <typename Part>
void unpack_weights(const Part& part, UnpackedPart* to) {
  if constexpr (requires { part.quants; }) {
    for (std::size_t s = 0; s < kBlockSteps; ++s) {
      const std::int8_t* quants = part.quants[s][0];
      for (std::size_t i = 0; i < kStepWeights; ++i) to->steps[s][i] = quants[i];
    }
  } else if constexpr (!requires { part.nibbles; } && requires { part.upper; }) {
    for (std::size_t s = 0; s < kBlockSteps; ++s) {
      for (std::size_t i = 0; i < kStepWeights; ++i) to->steps[s][i] = 0;
    }
  } else if constexpr (requires { part.codes; }) {
    for (std::size_t s = 0; s < kBlockSteps / 2; ++s) {
      const std::uint8_t* bytes = part.codes[s][0];
      for (std::size_t i = 0; i < kStepWeights; ++i) {
        to->steps[s][i] = Part::kTable[bytes[i] & 15];
        to->steps[s + kBlockSteps / 2][i] = Part::kTable[bytes[i] >> 4];
      }
    }
  } else {
    for (std::size_t s = 0; s < kBlockSteps / 2; ++s) {
      const std::uint8_t* bytes = part.nibbles[s][0];
      for (std::size_t i = 0; i < kStepWeights; ++i) to->steps[s][i] = bytes[i] & 15;
      for (std::size_t i = 0; i < kStepWeights; ++i) to->steps[s + kBlockSteps / 2][i] = bytes[i] >> 4;
    }
  }
  if constexpr (requires { part.fifth; }) add_single_bits(part.fifth, kFifthBits, to);
  if constexpr (requires { part.fourth; }) add_single_bits(part.fourth, kFourthBits, to);
  if constexpr (requires { part.upper; }) {
    for (std::size_t s = 0; s < kBlockSteps; ++s) {
      const std::uint8_t* bytes = part.upper[s / 4][0];
      for (std::size_t i = 0; i < kStepWeights; ++i)
        to->steps[s][i] = static_cast<std::int16_t>(to->steps[s][i] + ((bytes[i] >> (2 * (s % 4)) & 3) << 4));
    }
  }
}

// Integer dot products of the rows of a panel's part with one of a row of x.
struct Dots {
  Ints of_rows[kPanelRows / 4];
};
// Steps [kFirst, kLast) alone.
template <std::size_t kTogether, std::size_t kFirst, std::size_t kLast>
inline Dots multiply(const UnpackedPart& part, const std::int8_t* quants) {
  alignas(16) std::int16_t wide[kBlockElements];
  for (std::size_t c = 0; c < kBlockElements; ++c) wide[c] = quants[c];
  Shorts x[kBlockSteps];
  EMBERLINE_UNROLL
  for (std::size_t s = 0; s < kBlockSteps; ++s) x[s] = load_4_twice(wide + 4 * s);

  Dots dots;
  for (std::size_t four = 0; four < kPanelRows / 4; ++four) {
    Ints pairs[2];
    EMBERLINE_UNROLL
    for (std::size_t half = 0; half < 2; ++half) {
      const std::size_t at = 16 * four + 8 * half;
      Ints sums{};
      EMBERLINE_UNROLL
      for (std::size_t s = kFirst; s < kLast; s += kTogether) {
        Shorts sum = load_lanes<Shorts>(part.steps[s] + at) * x[s];
        EMBERLINE_UNROLL
        for (std::size_t t = s + 1; t < s + kTogether; ++t)
          sum = sum + load_lanes<Shorts>(part.steps[t] + at) * x[t];
        sums = sums + add_neighbours(sum);
      }
      pairs[half] = sums;
    }
    dots.of_rows[four] = add_neighbours(pairs[0], pairs[1]);
  }
  return dots;
}

// Adds to 16 sums the products of a part, or of its half h, with one of a row of x, from integer `at` on.
// offset: what the dot products begin from.
template <std::size_t kTogether, std::size_t kHalves, std::size_t h>
inline void add_products(const UnpackedPart& part, const ActivationRows& x, std::size_t at,
                         std::int32_t offset, float scale, float* sums) {
  constexpr std::size_t kSteps = kBlockSteps / kHalves;
  constexpr std::size_t kFirst = h * kSteps, kLast = kFirst + kSteps;
  Dots dots = multiply<kTogether, kFirst, kLast>(part, x.quants + at);
  if (x.fine != nullptr) {
    const Dots fine = multiply<kTogether, kFirst, kLast>(part, x.fine + at);
    for (std::size_t v = 0; v < kPanelRows / 4; ++v)
      dots.of_rows[v] = dots.of_rows[v] * kFineStep + fine.of_rows[v];
  }
  for (std::size_t v = 0; v < kPanelRows / 4; ++v) {
    const Floats d = load_lanes<Floats>(part.d[h] + 4 * v);
    store_lanes(sums + 4 * v,
                load_lanes<Floats>(sums + 4 * v) + d * scale * to_floats(dots.of_rows[v] + offset));
  }
}

template <typename Format>
void product_quantized_panel(const std::uint8_t* panel, const ActivationRows& x, float* y,
                             std::size_t stride) {
  using Block = typename Format::Block;
  constexpr std::size_t kHalves = Format::kHalves, kParts = Format::kParts;
  constexpr int kOffsets = Format::kZeroPoint / 8;  // so many offsets of a block go into its dot product
  const std::size_t blocks = x.width / kBlockElements;
  for (std::size_t r = 0; r < x.rows; ++r) {
    for (std::size_t i = 0; i < kPanelRows; ++i) y[r * stride + i] = 0.0f;
  }
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto& block = reinterpret_cast<const Block*>(panel)[b / kParts];
    constexpr std::size_t kTogether = steps_together(Format::kBits);
    UnpackedPart part;
    unpack_weights(parts_of(block)[b % kParts], &part);
    unpack_scales(block, b % kParts, &part);
    for (std::size_t r = 0; r < x.rows; ++r) {
      const std::size_t at = r * x.width + b * kBlockElements;
      const std::int32_t offset = x.offsets[r * blocks + b], first = x.first_offsets[r * blocks + b];
      const float scale = x.scales[r * blocks + b], block_sum = x.sums[r * blocks + b];
      float* to = y + r * stride;
      if constexpr (kHalves == 2) {
        add_products<kTogether, 2, 0>(part, x, at, kOffsets * first, scale, to);
        add_products<kTogether, 2, 1>(part, x, at, kOffsets * (offset - first), scale, to);
      } else {
        add_products<kTogether, 1, 0>(part, x, at, kOffsets * offset, scale, to);
      }
      if constexpr (requires { block.m; }) {
        // As the sums of blocks, of halves.
        const float sums[2] = {kHalves == 1 ? block_sum : scale * (-0.125f * static_cast<float>(first)),
                               scale * (-0.125f * static_cast<float>(offset - first))};
        for (std::size_t h = 0; h < kHalves; ++h) {
          for (std::size_t v = 0; v < kPanelRows; v += 4)
            store_lanes(to + v, load_lanes<Floats>(to + v) + load_lanes<Floats>(part.m[h] + v) * sums[h]);
        }
      }
    }
  }
}

template <typename Format>
void product_quantized(const Panels& panels, const ActivationRows& x, float* y, std::size_t stride) {
  for (std::size_t p = 0; p < panels.count; ++p) {
    product_quantized_panel<Format>(panels.data + p * panels.panel_bytes, x, y + p * kPanelRows, stride);
  }
}

}  // namespace
}  // namespace emberline
