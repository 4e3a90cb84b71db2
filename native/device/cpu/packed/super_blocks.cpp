// Where the bits of a super-block lie. Source: ggml's block formats (block_q2_K, block_q3_K, block_q4_K,
// block_q5_K, block_q6_K, block_iq4_xs).
#include "device/cpu/packed/super_blocks.h"

#include "base/half.h"

namespace emberline {
namespace {

float half_at(const std::uint8_t* bytes) {
  return f16_to_f32(static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8));
}

// The scale and the minimum of block b, 6 bits each, of 12 bytes: the low 6 bits of bytes 0 to 3 and 4 to 7
// are those of blocks 0 to 3; the others have their low 4 bits in a nibble of bytes 8 to 11, and their upper
// 2 on top of the first 8.
struct ScaleAndMinimum {
  int scale, minimum;
};
ScaleAndMinimum six_bits(const std::uint8_t* bytes, std::size_t b) {
  if (b < 4) return {bytes[b] & 63, bytes[4 + b] & 63};
  return {(bytes[4 + b] & 15) | bytes[b - 4] >> 6 << 4, bytes[4 + b] >> 4 | bytes[b] >> 6 << 4};
}

// Two neighbouring blocks share 32 bytes of nibbles, the first has the low ones. Bit b of fifth-bit byte c is
// column c's of block b; null: there are none.
void take_apart_with_minima(const std::uint8_t* from, const std::uint8_t* fifth, const std::uint8_t* nibbles,
                            ColumnBlock (&to)[kColumnBlocks]) {
  const float d = half_at(from), m = half_at(from + 2);
  for (std::size_t b = 0; b < kColumnBlocks; ++b) {
    const auto [scale, minimum] = six_bits(from + 4, b);
    ColumnBlock& block = to[b];
    block.d[0] = block.d[1] = f32_to_f16(d * static_cast<float>(scale));
    block.m[0] = block.m[1] = f32_to_f16(-m * static_cast<float>(minimum));
    const std::uint8_t* bytes = nibbles + b / 2 * 32;
    for (std::size_t c = 0; c < kBlockElements; ++c) {
      const int upper = fifth == nullptr ? 0 : (fifth[c] >> b & 1) << 4;
      block.quants[c] = static_cast<std::uint8_t>((bytes[c] >> (b % 2 * 4) & 15) | upper);
    }
  }
}

// Of half a super-block, block b has its nibbles in bytes 32 (b % 2) and on, low ones if b < 2, and its upper
// bits in bits 2b and 2b + 1 of 32 bytes.
void take_apart_q6_k(const std::uint8_t* from, ColumnBlock (&to)[kColumnBlocks]) {
  const float d = half_at(from + 208);
  for (std::size_t half = 0; half < 2; ++half) {
    const std::uint8_t* nibbles = from + 64 * half;
    const std::uint8_t* upper = from + 128 + 32 * half;
    for (std::size_t b = 0; b < 4; ++b) {
      ColumnBlock& block = to[4 * half + b];
      for (std::size_t h = 0; h < 2; ++h) {
        const auto scale = static_cast<std::int8_t>(from[192 + 8 * half + 2 * b + h]);
        block.d[h] = f32_to_f16(d * static_cast<float>(scale));
      }
      block.m[0] = block.m[1] = 0;
      for (std::size_t c = 0; c < kBlockElements; ++c) {
        const int low = nibbles[32 * (b % 2) + c] >> (b / 2 * 4) & 15;
        block.quants[c] = static_cast<std::uint8_t>(low | (upper[c] >> (2 * b) & 3) << 4);
      }
    }
  }
}

// Of half a super-block, block b has its quants in bits 2b and 2b + 1 of 32 bytes. A byte holds a scale and,
// above it, a minimum.
void take_apart_q2_k(const std::uint8_t* from, ColumnBlock (&to)[kColumnBlocks]) {
  const float d = half_at(from + 80), m = half_at(from + 82);
  for (std::size_t b = 0; b < kColumnBlocks; ++b) {
    ColumnBlock& block = to[b];
    for (std::size_t h = 0; h < 2; ++h) {
      const int both = from[2 * b + h];
      block.d[h] = f32_to_f16(d * static_cast<float>(both & 15) / 16.0f);
      block.m[h] = f32_to_f16(-m * static_cast<float>(both >> 4));
    }
    for (std::size_t c = 0; c < kBlockElements; ++c) {
      block.quants[c] = static_cast<std::uint8_t>((from[16 + b / 4 * 32 + c] >> (b % 4 * 2) & 3) << 4);
    }
  }
}

// Scale p of the 16 of a Q3_K block, before 32 is taken off: its low 4 bits are a nibble of 8 bytes, the
// upper 2 lie in the 4 bytes behind them.
int q3_k_scale(const std::uint8_t* bytes, std::size_t p) {
  return (bytes[p % 8] >> (p / 8 * 4) & 15) | (bytes[8 + p % 4] >> (p / 4 * 2) & 3) << 4;
}

// Of half a super-block, block b has its low bits in bits 2b and 2b + 1 of 32 bytes; its third bits are bit
// b, in the second half 4 + b, of the 32 bytes in front, and take 4 off where they are not set. As numbers of
// Q6_K: 28 larger.
void take_apart_q3_k(const std::uint8_t* from, ColumnBlock (&to)[kColumnBlocks]) {
  const float d = half_at(from + 108);
  for (std::size_t b = 0; b < kColumnBlocks; ++b) {
    ColumnBlock& block = to[b];
    for (std::size_t h = 0; h < 2; ++h) {
      block.d[h] = f32_to_f16(d * static_cast<float>(q3_k_scale(from + 96, 2 * b + h) - 32));
    }
    block.m[0] = block.m[1] = 0;
    for (std::size_t c = 0; c < kBlockElements; ++c) {
      const int low = from[32 + b / 4 * 32 + c] >> (b % 4 * 2) & 3, third = from[c] >> b & 1;
      block.quants[c] = static_cast<std::uint8_t>(28 + low + 4 * third);
    }
  }
}

// Block b: the upper 2 bits of its scale are bits 2b and 2b + 1 of the 16 behind d, the lower 4 nibble b of
// the next 4 bytes; its nibbles are 16 bytes of their own.
void take_apart_iq4_xs(const std::uint8_t* from, ColumnBlock (&to)[kColumnBlocks]) {
  const float d = half_at(from);
  const int upper = from[2] | from[3] << 8;
  for (std::size_t b = 0; b < kColumnBlocks; ++b) {
    ColumnBlock& block = to[b];
    const int scale = (from[4 + b / 2] >> (b % 2 * 4) & 15) | (upper >> (2 * b) & 3) << 4;
    block.d[0] = block.d[1] = f32_to_f16(d * static_cast<float>(scale - 32));
    block.m[0] = block.m[1] = 0;
    const std::uint8_t* nibbles = from + 8 + 16 * b;
    for (std::size_t c = 0; c < 16; ++c) {
      block.quants[c] = nibbles[c] & 15;
      block.quants[16 + c] = nibbles[c] >> 4;
    }
  }
}

}  // namespace

void take_apart(TensorType type, const std::uint8_t* from, ColumnBlock (&to)[kColumnBlocks]) {
  switch (type) {
    case TensorType::kQ4_K: return take_apart_with_minima(from, nullptr, from + 16, to);
    case TensorType::kQ2_K: return take_apart_q2_k(from, to);
    case TensorType::kQ3_K: return take_apart_q3_k(from, to);
    case TensorType::kIQ4_XS: return take_apart_iq4_xs(from, to);
    case TensorType::kQ5_K: return take_apart_with_minima(from, from + 16, from + 48, to);
    default: return take_apart_q6_k(from, to);
  }
}

}  // namespace emberline
