// GGUF's block formats, read one element at a time.
#include <cmath>
#include <cstring>

#include "reference/reference_device.h"

namespace emberline::testing {
namespace {

std::uint32_t read_little_endian(const std::uint8_t* bytes, int count) {
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) value |= static_cast<std::uint32_t>(bytes[i]) << (8 * i);
  return value;
}

double half_value(const std::uint8_t* bytes) {
  const std::uint32_t bits = read_little_endian(bytes, 2);
  const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>((bits >> 10) & 31u);
  const double mantissa = bits & 1023u;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024.0 + mantissa, exponent - 25);
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

}  // namespace emberline::testing
