// GGUF's block formats, read one element at a time.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/half.h"
#include "reference/reference_device.h"

namespace emberline::testing {
namespace {

std::uint32_t read_little_endian(const std::uint8_t* bytes, int count) {
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) value |= static_cast<std::uint32_t>(bytes[i]) << (8 * i);
  return value;
}

double half_value_of(std::uint32_t bits) {
  const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>((bits >> 10) & 31u);
  const double mantissa = bits & 1023u;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024.0 + mantissa, exponent - 25);
}

// From a table: scales are read once an element, and tests spent a quarter of their time in ldexp.
double half_value(const std::uint8_t* bytes) {
  static const std::vector<double> kValues = [] {
    std::vector<double> values(1u << 16);
    for (std::uint32_t bits = 0; bits < values.size(); ++bits) values[bits] = half_value_of(bits);
    return values;
  }();
  return kValues[read_little_endian(bytes, 2)];
}

double float_value(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

int nibble(const std::uint8_t* nibbles, std::size_t i) {
  return i < 16 ? nibbles[i] & 15 : nibbles[i - 16] >> 4;
}

int fifth_bit(const std::uint8_t* bits, std::size_t i) {
  return static_cast<int>((read_little_endian(bits, 4) >> i) & 1u) << 4;
}

// Scale (which = 0) or minimum (1) s of the 16 numbers of 6 bits in 12 bytes of Q4_K and Q5_K.
int six_bits(const std::uint8_t* bytes, std::size_t s, std::size_t which) {
  if (s < 4) return bytes[4 * which + s] % 64;
  const int low = which == 0 ? bytes[s + 4] % 16 : bytes[s + 4] / 16;
  return low + 16 * (bytes[4 * which + s - 4] / 64);
}

// Element i of a super-block of Q4_K or Q5_K. In a chunk of 64 elements the first 32 are low nibbles.
double with_minimum(const std::uint8_t* block, std::size_t i, bool five_bits) {
  const std::size_t s = i / 32;
  const std::uint8_t byte = block[(five_bits ? 48 : 16) + i / 64 * 32 + i % 32];
  int q = s % 2 == 0 ? byte % 16 : byte / 16;
  if (five_bits && ((block[16 + i % 32] >> s) & 1) != 0) q += 16;
  return half_value(block) * six_bits(block + 4, s, 0) * q -
         half_value(block + 2) * six_bits(block + 4, s, 1);
}

constexpr int kIq4Codes[] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
constexpr double kE2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

double q2_k_element(const std::uint8_t* block, std::size_t i) {
  const int both = block[i / 16];
  const int q = (block[16 + i / 128 * 32 + i % 32] >> (2 * (i % 128 / 32))) % 4;
  return half_value(block + 80) * (both % 16) * q - half_value(block + 82) * (both / 16);
}

double q3_k_element(const std::uint8_t* block, std::size_t i) {
  const std::uint8_t* packed = block + 96;
  const std::size_t s = i / 16, chunk = i / 128;
  const int low = s < 8 ? packed[s] % 16 : packed[s - 8] / 16;
  const int scale = low + 16 * ((packed[8 + s % 4] >> (2 * (s / 4))) % 4);
  const int two = (block[32 + 32 * chunk + i % 32] >> (2 * (i % 128 / 32))) % 4;
  const int third = (block[i % 32] >> (i / 32)) % 2;
  return half_value(block + 108) * (scale - 32) * (two - (third == 0 ? 4 : 0));
}

double iq4_xs_element(const std::uint8_t* block, std::size_t i) {
  const std::size_t s = i / 32;
  const int low = s % 2 == 0 ? block[4 + s / 2] % 16 : block[4 + s / 2] / 16;
  const int scale = low + 16 * static_cast<int>((read_little_endian(block + 2, 2) >> (2 * s)) & 3u);
  return half_value(block) * (scale - 32) * kIq4Codes[nibble(block + 8 + 16 * s, i % 32)];
}

double mxfp4_element(const std::uint8_t* block, std::size_t i) {
  const int code = nibble(block + 1, i);
  return std::ldexp(code < 8 ? kE2m1[code] : -kE2m1[code - 8], block[0] - 127);
}

double q6_k_element(const std::uint8_t* block, std::size_t i) {
  const std::size_t half = i / 128, quarter = i % 128 / 32, c = i % 32;
  const std::uint8_t byte = block[64 * half + 32 * (quarter % 2) + c];
  const int low = quarter < 2 ? byte % 16 : byte / 16;
  const int high = (block[128 + 32 * half + c] >> (2 * quarter)) % 4;
  return half_value(block + 208) * static_cast<std::int8_t>(block[192 + i / 16]) * (low + 16 * high - 32);
}

double block_element(TensorType type, const std::uint8_t* block, std::size_t i) {
  switch (type) {
    case TensorType::kF32: return float_value(read_little_endian(block, 4));
    case TensorType::kF16: return half_value(block);
    case TensorType::kBF16: return float_value(read_little_endian(block, 2) << 16);
    case TensorType::kQ4_0: return half_value(block) * (nibble(block + 2, i) - 8);
    case TensorType::kQ4_1: return half_value(block) * nibble(block + 4, i) + half_value(block + 2);
    case TensorType::kQ5_0:
      return half_value(block) * ((nibble(block + 6, i) | fifth_bit(block + 2, i)) - 16);
    case TensorType::kQ5_1:
      return half_value(block) * (nibble(block + 8, i) | fifth_bit(block + 4, i)) + half_value(block + 2);
    case TensorType::kQ8_0: return half_value(block) * static_cast<std::int8_t>(block[2 + i]);
    case TensorType::kIQ4_NL: return half_value(block) * kIq4Codes[nibble(block + 2, i)];
    case TensorType::kMXFP4: return mxfp4_element(block, i);
    case TensorType::kQ2_K: return q2_k_element(block, i);
    case TensorType::kQ3_K: return q3_k_element(block, i);
    case TensorType::kIQ4_XS: return iq4_xs_element(block, i);
    case TensorType::kQ4_K: return with_minimum(block, i, false);
    case TensorType::kQ5_K: return with_minimum(block, i, true);
    case TensorType::kQ6_K: return q6_k_element(block, i);
  }
  return std::nan("");
}

}  // namespace

std::vector<double> widen_row(TensorType type, std::span<const std::uint8_t> weights, std::size_t row,
                              std::size_t width) {
  const TensorTypeTraits& layout = traits(type);
  const std::size_t row_bytes = width / layout.block_elements * layout.block_bytes;
  const std::uint8_t* begin = weights.data() + row * row_bytes;
  std::vector<double> values(width);
  for (std::size_t i = 0; i < width; ++i) {
    values[i] = block_element(type, begin + i / layout.block_elements * layout.block_bytes,
                              i % layout.block_elements);
  }
  return values;
}

double frobenius_norm(TensorType type, std::span<const std::uint8_t> weights, std::size_t first,
                      std::size_t count, std::size_t width) {
  double squares = 0;
  for (std::size_t row = first; row < first + count; ++row) {
    for (const double w : widen_row(type, weights, row, width)) squares += w * w;
  }
  return std::sqrt(squares);
}

std::vector<float> widen_halves(std::span<const std::uint16_t> halves) {
  std::vector<float> values(halves.size());
  std::transform(halves.begin(), halves.end(), values.begin(), f16_to_f32);
  return values;
}

}  // namespace emberline::testing
