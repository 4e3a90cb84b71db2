// Quantised weights of the packed layout in NEON registers. Included by the kernels_neon*.cpp files alone.
#pragma once

#include <string.h>

#include "simd/neon/vector.h"

#include "device/cpu/kernels/kernels.h"
#include "device/cpu/packed/packed_parts.h"

namespace emberline {
namespace {

// So many offsets of a block go into its dot product.
template <typename Format>
constexpr int kOffsets = Format::kZeroPoint / 8;

constexpr std::size_t kGroupRows = 4;  // rows whose 4 columns fill a register

// Columns 4k.. and 16 + 4k.. of 4 rows, before the zero point is taken off: byte 4i + j is column j of row i.
struct StepPair {
  int8x16_t low, high;
};

// kValue where a bit is set, else 0: byte i of the result is for bit `bit[i]` of byte `index[i]` of `bytes`.
template <std::uint8_t kValue>
inline int8x16_t spread_bits(uint8x16_t bytes, uint8x16_t index, uint8x16_t bit) {
  return vreinterpretq_s8_u8(vandq_u8(vtstq_u8(vqtbl1q_u8(bytes, index), bit), vdupq_n_u8(kValue)));
}

// Two patterns of 8 bytes, the least significant byte first.
inline uint8x16_t byte_pattern(std::uint64_t low, std::uint64_t high) {
  return vreinterpretq_u8_u64(vcombine_u64(vdup_n_u64(low), vdup_n_u64(high)));
}

inline uint8x16_t add_to_bytes(uint8x16_t bytes, std::size_t n) {
  return vaddq_u8(bytes, vdupq_n_u8(static_cast<std::uint8_t>(n)));
}

// Bits 2t and 2t + 1 of each byte, moved above a nibble. t: 0 to 3.
inline int8x16_t upper_bits(uint8x16_t bits, std::size_t t) {
  const uint8x16_t moved = t == 0   ? vshlq_n_u8(bits, 4)
                           : t == 1 ? vshlq_n_u8(bits, 2)
                           : t == 2 ? bits
                                    : vshrq_n_u8(bits, 2);
  return vreinterpretq_s8_u8(vandq_u8(moved, vdupq_n_u8(0x30)));
}

inline float32x4_t load_4_bytes(const std::int8_t* p) {
  std::int32_t four;
  memcpy(&four, p, sizeof four);
  return vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(four))))));
}

// Scales of 4 rows of a panel from `row` on: of a part, or of its half h.
template <typename Block>
inline float32x4_t scales_of(const Block& block, std::size_t part, std::size_t h, std::size_t row) {
  float32x4_t d = Vector::widen_half(vld1_u16(block.d + row));
  if constexpr (kIsSuperBlock<Block>) d = vmulq_f32(d, load_4_bytes(block.scales[part][h] + row));
  if constexpr (requires { PartOf<Block>::kUnit; }) d = vmulq_n_f32(d, PartOf<Block>::kUnit);
  return d;
}
template <typename Block>
inline float32x4_t minima_of(const Block& block, std::size_t part, std::size_t h, std::size_t row) {
  const float32x4_t m = Vector::widen_half(vld1_u16(block.m + row));
  if constexpr (kIsSuperBlock<Block>) {
    return vmulq_f32(m, load_4_bytes(block.minima[part][h] + row));
  } else {
    return m;
  }
}

// As the sums of blocks, of the half whose offset this is.
inline float half_sum(float scale, std::int32_t offset) {
  return scale * (-0.125f * static_cast<float>(offset));
}

// Single bits of steps k and k + 4, of rows 4 * group and on, as kValue.
template <std::uint8_t kValue>
inline StepPair single_bits(const PackedSingleBits& bits, std::size_t k, std::size_t group) {
  // A register holds those of two neighbouring steps, and 2 bytes of them are for these rows.
  const uint8x16_t index = add_to_bytes(byte_pattern(0, 0x0101010101010101ull), k % 2 * 8 + 2 * group);
  const uint8x16_t bit = byte_pattern(0x8040201008040201ull, 0x8040201008040201ull);
  return {spread_bits<kValue>(vld1q_u8(bits[k / 2 * 2]), index, bit),
          spread_bits<kValue>(vld1q_u8(bits[k / 2 * 2 + 4]), index, bit)};
}

inline StepPair either(StepPair a, StepPair b) {
  return {vorrq_s8(a.low, b.low), vorrq_s8(a.high, b.high)};
}

// Steps k and k + 4 of a part, of rows 4 * group to 4 * group + 3, k = 0..3.
template <typename Part>
inline StepPair load_steps(const Part& part, std::size_t k, std::size_t group) {
  const std::size_t row = group * kGroupRows;
  if constexpr (requires { part.quants; }) {
    return {vld1q_s8(part.quants[k][row]), vld1q_s8(part.quants[k + 4][row])};
  } else if constexpr (requires { part.codes; }) {
    const uint8x16_t both = vld1q_u8(part.codes[k][row]);
    const int8x16_t table = vld1q_s8(Part::kTable);
    return {vqtbl1q_s8(table, vandq_u8(both, vdupq_n_u8(15))), vqtbl1q_s8(table, vshrq_n_u8(both, 4))};
  } else {
    StepPair steps = {vdupq_n_s8(0), vdupq_n_s8(0)};
    if constexpr (requires { part.nibbles; }) {
      const uint8x16_t both = vld1q_u8(part.nibbles[k][row]);
      steps = {vreinterpretq_s8_u8(vandq_u8(both, vdupq_n_u8(15))), vreinterpretq_s8_u8(vshrq_n_u8(both, 4))};
    }
    if constexpr (requires { part.upper; })
      steps = either(
          steps, {upper_bits(vld1q_u8(part.upper[0][row]), k), upper_bits(vld1q_u8(part.upper[1][row]), k)});
    if constexpr (requires { part.fifth; }) steps = either(steps, single_bits<16>(part.fifth, k, group));
    if constexpr (requires { part.fourth; }) steps = either(steps, single_bits<8>(part.fourth, k, group));
    return steps;
  }
}

}  // namespace
}  // namespace emberline
