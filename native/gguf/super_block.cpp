// Where the bits of a super-block lie. Source: ggml's block formats (block_q2_K, block_q3_K, block_q4_K,
// block_q5_K, block_q6_K, block_iq4_xs).
#include "gguf/super_block.h"

namespace emberline {
namespace {

using Part = SuperBlock::Part;

std::uint16_t word_at(const std::uint8_t* bytes) {
  return static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8);
}

std::uint16_t minus(std::uint16_t half) {
  return half ^ 0x8000;
}

void set_scales(Part& part, int scale, int minimum) {
  part.scales[0] = part.scales[1] = static_cast<std::int8_t>(scale);
  part.minima[0] = part.minima[1] = static_cast<std::int8_t>(minimum);
}

// The scale and the minimum of part p, 6 bits each, of 12 bytes: the low 6 bits of bytes 0 to 3 and 4 to 7
// are those of parts 0 to 3; the others have their low 4 bits in a nibble of bytes 8 to 11, and their upper 2
// on top of the first 8.
void set_six_bits(Part& part, const std::uint8_t* bytes, std::size_t p) {
  if (p < 4) return set_scales(part, bytes[p] & 63, bytes[4 + p] & 63);
  set_scales(part, (bytes[4 + p] & 15) | bytes[p - 4] >> 6 << 4, bytes[4 + p] >> 4 | bytes[p] >> 6 << 4);
}

// Two neighbouring parts share 32 bytes of nibbles, the first has the low ones. Bit p of fifth-bit byte c is
// column c's of part p; null: there are none.
void take_apart_with_minima(const std::uint8_t* from, const std::uint8_t* fifth, const std::uint8_t* nibbles,
                            SuperBlock& to) {
  to.d = word_at(from);
  to.m = minus(word_at(from + 2));
  for (std::size_t p = 0; p < SuperBlock::kParts; ++p) {
    Part& part = to.parts[p];
    set_six_bits(part, from + 4, p);
    const std::uint8_t* bytes = nibbles + p / 2 * 32;
    for (std::size_t c = 0; c < SuperBlock::kPartElements; ++c) {
      const int upper = fifth == nullptr ? 0 : (fifth[c] >> p & 1) << 4;
      part.quants[c] = static_cast<std::uint8_t>((bytes[c] >> (p % 2 * 4) & 15) | upper);
    }
  }
}

// Of half a super-block, part p has its nibbles in bytes 32 (p % 2) and on, low ones if p < 2, and its upper
// bits in bits 2p and 2p + 1 of 32 bytes.
void take_apart_q6_k(const std::uint8_t* from, SuperBlock& to) {
  to.d = word_at(from + 208);
  for (std::size_t half = 0; half < 2; ++half) {
    const std::uint8_t* nibbles = from + 64 * half;
    const std::uint8_t* upper = from + 128 + 32 * half;
    for (std::size_t p = 0; p < 4; ++p) {
      Part& part = to.parts[4 * half + p];
      for (std::size_t h = 0; h < 2; ++h)
        part.scales[h] = static_cast<std::int8_t>(from[192 + 8 * half + 2 * p + h]);
      for (std::size_t c = 0; c < SuperBlock::kPartElements; ++c) {
        const int low = nibbles[32 * (p % 2) + c] >> (p / 2 * 4) & 15;
        part.quants[c] = static_cast<std::uint8_t>(low | (upper[c] >> (2 * p) & 3) << 4);
      }
    }
  }
}

// Of half a super-block, part p has its quants in bits 2p and 2p + 1 of 32 bytes. A byte holds a scale and,
// above it, a minimum.
void take_apart_q2_k(const std::uint8_t* from, SuperBlock& to) {
  to.d = word_at(from + 80);
  to.m = minus(word_at(from + 82));
  for (std::size_t p = 0; p < SuperBlock::kParts; ++p) {
    Part& part = to.parts[p];
    for (std::size_t h = 0; h < 2; ++h) {
      const int both = from[2 * p + h];
      part.scales[h] = static_cast<std::int8_t>(both & 15);
      part.minima[h] = static_cast<std::int8_t>(both >> 4);
    }
    for (std::size_t c = 0; c < SuperBlock::kPartElements; ++c) {
      part.quants[c] = static_cast<std::uint8_t>((from[16 + p / 4 * 32 + c] >> (p % 4 * 2) & 3) << 4);
    }
  }
}

// Scale s of the 16 of a Q3_K block, before 32 is taken off: its low 4 bits are a nibble of 8 bytes, the
// upper 2 lie in the 4 bytes behind them.
int q3_k_scale(const std::uint8_t* bytes, std::size_t s) {
  return (bytes[s % 8] >> (s / 8 * 4) & 15) | (bytes[8 + s % 4] >> (s / 4 * 2) & 3) << 4;
}

// Of half a super-block, part p has its low bits in bits 2p and 2p + 1 of 32 bytes; its third bits are bit
// p, in the second half 4 + p, of the 32 bytes in front, and take 4 off where they are not set.
void take_apart_q3_k(const std::uint8_t* from, SuperBlock& to) {
  to.d = word_at(from + 108);
  for (std::size_t p = 0; p < SuperBlock::kParts; ++p) {
    Part& part = to.parts[p];
    for (std::size_t h = 0; h < 2; ++h)
      part.scales[h] = static_cast<std::int8_t>(q3_k_scale(from + 96, 2 * p + h) - 32);
    for (std::size_t c = 0; c < SuperBlock::kPartElements; ++c) {
      const int low = from[32 + p / 4 * 32 + c] >> (p % 4 * 2) & 3, third = from[c] >> p & 1;
      part.quants[c] = static_cast<std::uint8_t>((low + 4 * third) << 3);
    }
  }
}

// Part p: the upper 2 bits of its scale are bits 2p and 2p + 1 of the 16 behind d, the lower 4 nibble p of
// the next 4 bytes; its nibbles are 16 bytes of their own.
void take_apart_iq4_xs(const std::uint8_t* from, SuperBlock& to) {
  to.d = word_at(from);
  const int upper = word_at(from + 2);
  for (std::size_t p = 0; p < SuperBlock::kParts; ++p) {
    Part& part = to.parts[p];
    set_scales(part, ((from[4 + p / 2] >> (p % 2 * 4) & 15) | (upper >> (2 * p) & 3) << 4) - 32, 0);
    const std::uint8_t* nibbles = from + 8 + 16 * p;
    for (std::size_t c = 0; c < 16; ++c) {
      part.quants[c] = nibbles[c] & 15;
      part.quants[16 + c] = nibbles[c] >> 4;
    }
  }
}

}  // namespace

SuperBlock take_apart(TensorType type, const std::uint8_t* from) {
  SuperBlock to{};
  switch (type) {
    case TensorType::kQ4_K: take_apart_with_minima(from, nullptr, from + 16, to); break;
    case TensorType::kQ2_K: take_apart_q2_k(from, to); break;
    case TensorType::kQ3_K: take_apart_q3_k(from, to); break;
    case TensorType::kIQ4_XS: take_apart_iq4_xs(from, to); break;
    case TensorType::kQ5_K: take_apart_with_minima(from, from + 16, from + 48, to); break;
    default: take_apart_q6_k(from, to); break;
  }
  return to;
}

}  // namespace emberline
