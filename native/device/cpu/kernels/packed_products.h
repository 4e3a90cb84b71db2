// Products of quantised panels with rows of activations, written once over a vector of 32-bit integers.
// Included by the kernels_avx*.cpp files alone, after they have defined, in an unnamed namespace, a type
// `Integers` for their instruction set. A lane is a row of a panel, with 4 columns of it:
//   kSignedBytes                whether it multiplies signed weights, or takes them 128 too large
//   kMostRows                   rows of x that the registers hold running sums of, for a vector of a panel
//   what IntegerLanes has (simd/README.md)
//   Dot                         running dot products: begin(Ints) gives them, end(Dot) reads them
//   Apart                       how far rows of bytes lie apart, made of the number of bytes
//   add<kBits>(dot, i, w, x, apart, r)   the i-th of the 8 additions of a block: of the products of each
//   lane's
//                               4 weights of kBits bits with 4 bytes of the r-th row, those of row 0 being at
//                               x
//
// Everything is in an unnamed namespace: each kernel set gets copies of its own (kernels.h tells why).
#pragma once

#include "device/cpu/kernels/kernels.h"
#include "device/cpu/kernels/unroll.h"
#include "device/cpu/packed/packed_parts.h"

namespace emberline {
namespace {

// Columns 4s to 4s + 3 of a part, of kLanes rows from row `first` on.
template <typename Part>
inline Integers::Ints load_step(const Part& part, std::size_t s, std::size_t first) {
  if constexpr (requires { part.quants; }) {
    const auto quants = Integers::load(part.quants[s][first]);
    return Integers::kSignedBytes ? quants : Integers::flip_sign_bits(quants);
  } else if constexpr (requires { part.codes; }) {
    const auto both = Integers::load(part.codes[s % 4][first]);
    const auto table = Integers::repeat_16(Part::kTable);
    const auto codes = s < 4 ? Integers::low_nibbles(both) : Integers::high_nibbles(both);
    return Integers::look_up(Integers::kSignedBytes ? table : Integers::flip_sign_bits(table), codes);
  } else {
    auto weights = Integers::set(0);
    if constexpr (requires { part.nibbles; }) {
      const auto both = Integers::load(part.nibbles[s % 4][first]);
      weights = s < 4 ? Integers::low_nibbles(both) : Integers::high_nibbles(both);
    }
    if constexpr (requires { part.upper; })
      weights = Integers::or_upper_bits(weights, Integers::load(part.upper[s / 4][first]), s % 4);
    if constexpr (requires { part.fifth; })
      weights = Integers::or_single_bits<16>(weights, part.fifth[s] + first / 2);
    if constexpr (requires { part.fourth; })
      weights = Integers::or_single_bits<8>(weights, part.fourth[s] + first / 2);
    return weights;
  }
}

// Scales of kLanes rows of a panel from `row` on: of a part, or of its half h.
template <typename Block>
inline Vector::Lanes scales_of(const Block& block, std::size_t part, std::size_t h, std::size_t row) {
  Vector::Lanes d = Vector::load_halves(block.d + row);
  if constexpr (kIsSuperBlock<Block>) d = Vector::mul(d, Vector::load_bytes(block.scales[part][h] + row));
  if constexpr (requires { PartOf<Block>::kUnit; }) d = Vector::mul(d, Vector::set(PartOf<Block>::kUnit));
  return d;
}
template <typename Block>
inline Vector::Lanes minima_of(const Block& block, std::size_t part, std::size_t h, std::size_t row) {
  const Vector::Lanes m = Vector::load_halves(block.m + row);
  if constexpr (kIsSuperBlock<Block>) {
    return Vector::mul(m, Vector::load_bytes(block.minima[part][h] + row));
  } else {
    return m;
  }
}

// A panel is fetched this far ahead of its use: what arrives in the time of an access to memory, twice where
// that is near.
constexpr std::size_t kPrefetchBytes = 4096;

// With every part of a super-block, as much of it.
template <typename Block>
inline void prefetch_ahead(const Block& block, std::size_t part) {
  constexpr std::size_t kBytes = sizeof(Block) / kPartsOf<Block>;
  const char* ahead = reinterpret_cast<const char*>(&block) + kPrefetchBytes + part * kBytes;
  EMBERLINE_UNROLL
  for (std::size_t i = 0; i < kBytes; i += 64) Vector::prefetch(ahead + i);
}

// kVectors * kLanes rows of a panel, from `first` on, with rows [row, row + kRows) of x. There are as many
// chains of multiply-adds side by side as there are sums, and a vector of weights lives for one step alone.
template <typename Format, std::size_t kVectors, std::size_t kRows, bool kFine>
class Tile {
  using Block = typename Format::Block;
  using Floats = Vector::Lanes;
  static constexpr std::size_t kHalves = Format::kHalves, kParts = Format::kParts;
  // So many offsets of a block go into its dot product.
  static constexpr int kOffsets =
      (Format::kBits == 8 && !Integers::kSignedBytes ? 128 : Format::kZeroPoint) / 8;

 public:
  static void run(const std::uint8_t* panel, std::size_t first, const ActivationRows& x, std::size_t row,
                  float* y, std::size_t stride) {
    const std::size_t width = x.width, blocks = width / kBlockElements;
    const std::int8_t* quants = x.quants + row * width;
    const std::int8_t* fine = kFine ? x.fine + row * width : nullptr;
    const float* scales = x.scales + row * blocks;
    const float* block_sums = x.sums + row * blocks;
    const std::int32_t* offsets = x.offsets + row * blocks;
    const std::int32_t* first_offsets = x.first_offsets + row * blocks;
    const typename Integers::Apart apart(width);
    Floats sums[kRows][kVectors];
    EMBERLINE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      EMBERLINE_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] = Vector::set(0.0f);
    }
    for (std::size_t b = 0; b < blocks; ++b) {
      const auto& block = reinterpret_cast<const Block*>(panel)[b / kParts];
      const std::size_t part = b % kParts;
      prefetch_ahead(block, part);
      EMBERLINE_UNROLL
      for (std::size_t h = 0; h < kHalves; ++h) {
        const auto start_of = [&](std::size_t r) {
          const std::size_t at = r * blocks + b;
          return Integers::set(kOffsets *
                               (kHalves == 1 ? offsets[at] : half_offset(offsets[at], first_offsets[at], h)));
        };
        Integers::Dot dots[kRows][kVectors];
        EMBERLINE_UNROLL
        for (std::size_t r = 0; r < kRows; ++r) {
          const auto start = kFine ? Integers::set(0) : start_of(r);
          EMBERLINE_UNROLL
          for (std::size_t v = 0; v < kVectors; ++v) dots[r][v] = Integers::begin(start);
        }
        multiply_part(parts_of(block)[part], h, first, quants + b * kBlockElements, apart, dots);
        if constexpr (kFine) {
          EMBERLINE_UNROLL
          for (std::size_t r = 0; r < kRows; ++r) {
            const auto start = start_of(r);
            EMBERLINE_UNROLL
            for (std::size_t v = 0; v < kVectors; ++v)
              dots[r][v] = Integers::begin(Integers::multiply_255_add(Integers::end(dots[r][v]), start));
          }
          static_assert(kFineStep == 255);
          multiply_part(parts_of(block)[part], h, first, fine + b * kBlockElements, apart, dots);
        }
        EMBERLINE_UNROLL
        for (std::size_t v = 0; v < kVectors; ++v) {
          const Floats d = scales_of(block, part, h, first + v * Vector::kLanes);
          EMBERLINE_UNROLL
          for (std::size_t r = 0; r < kRows; ++r) {
            const Floats scale = Vector::mul(d, Vector::set(scales[r * blocks + b]));
            sums[r][v] = Vector::fma(scale, Integers::to_floats(Integers::end(dots[r][v])), sums[r][v]);
          }
        }
      }
      if constexpr (requires { block.m; }) {
        EMBERLINE_UNROLL
        for (std::size_t h = 0; h < kHalves; ++h) {
          EMBERLINE_UNROLL
          for (std::size_t v = 0; v < kVectors; ++v) {
            const Floats m = minima_of(block, part, h, first + v * Vector::kLanes);
            EMBERLINE_UNROLL
            for (std::size_t r = 0; r < kRows; ++r) {
              const std::size_t at = r * blocks + b;
              const float sum = kHalves == 1
                                    ? block_sums[at]
                                    : half_sum(scales[at], half_offset(offsets[at], first_offsets[at], h));
              sums[r][v] = Vector::fma(m, Vector::set(sum), sums[r][v]);
            }
          }
        }
      }
    }
    EMBERLINE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      EMBERLINE_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v)
        Vector::store(y + (row + r) * stride + first + v * Vector::kLanes, sums[r][v]);
    }
  }

 private:
  static std::int32_t half_offset(std::int32_t whole, std::int32_t first, std::size_t h) {
    return h == 0 ? first : whole - first;
  }
  // As the sums of blocks, of the half whose offset this is.
  static float half_sum(float scale, std::int32_t offset) {
    return scale * (-0.125f * static_cast<float>(offset));
  }

  // dots += weights of the part, or of its half h, . bytes, of kRows rows of them
  template <typename Part>
  static void multiply_part(const Part& part, std::size_t h, std::size_t first, const std::int8_t* bytes,
                            const Integers::Apart& apart, Integers::Dot (&dots)[kRows][kVectors]) {
    EMBERLINE_UNROLL
    for (std::size_t i = 0; i < kBlockSteps / kHalves; ++i) {
      // Of a whole part, the two steps of a byte of nibbles in turn.
      const std::size_t s = kHalves == 1 ? i / 2 + i % 2 * (kBlockSteps / 2) : h * (kBlockSteps / 2) + i;
      EMBERLINE_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Integers::Ints weights = load_step(part, s, first + v * Vector::kLanes);
        EMBERLINE_UNROLL
        for (std::size_t r = 0; r < kRows; ++r)
          Integers::add<Format::kBits>(dots[r][v], i, weights, bytes + 4 * s, apart, r);
      }
    }
  }
};

// Rows of x from `r` on with one panel: kRows at a time while there are so many, then what is left at once.
// Few rows meet the whole panel at once, which makes up for the chains that rows would have been.
template <typename Format, std::size_t kRows, bool kFine>
inline void multiply_panel(const std::uint8_t* panel, const ActivationRows& x, std::size_t r, float* y,
                           std::size_t stride) {
  constexpr std::size_t kPanelVectors = kPanelRows / Vector::kLanes;
  constexpr std::size_t kVectors = kRows * kPanelVectors <= Integers::kMostRows ? kPanelVectors : 1;
  const std::size_t end = x.rows - (x.rows - r) % kRows;
  for (std::size_t first = 0; first < kPanelRows; first += kVectors * Vector::kLanes) {
    for (std::size_t row = r; row < end; row += kRows)
      Tile<Format, kVectors, kRows, kFine>::run(panel, first, x, row, y, stride);
  }
  if constexpr (kRows > 1) {
    if (end < x.rows) multiply_panel<Format, kRows - 1, kFine>(panel, x, end, y, stride);
  }
}

template <typename Format>
void product_quantized(const Panels& panels, const ActivationRows& x, float* y, std::size_t stride) {
  const std::uint8_t* panel = panels.data;
  for (std::size_t p = 0; p < panels.count; ++p, panel += panels.panel_bytes, y += kPanelRows) {
    if (x.fine != nullptr) {
      multiply_panel<Format, Integers::kMostRows, true>(panel, x, 0, y, stride);
    } else {
      multiply_panel<Format, Integers::kMostRows, false>(panel, x, 0, y, stride);
    }
  }
}

}  // namespace
}  // namespace emberline
