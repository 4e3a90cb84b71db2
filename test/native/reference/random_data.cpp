#include "reference/random_data.h"

#include <cstring>

#include "base/half.h"

namespace emberline::testing {
namespace {

void put_u16(std::vector<std::uint8_t>& bytes, std::uint16_t value) {
  bytes.push_back(static_cast<std::uint8_t>(value & 255));
  bytes.push_back(static_cast<std::uint8_t>(value >> 8));
}

// Elements of about unit size: scales of 6 bits are 32 on the average, or 16 around 32; those of Q6_K 64 in
// size.
void append_super_block(TensorType type, Random& random, std::vector<std::uint8_t>& bytes) {
  const std::size_t begin = bytes.size(), end = begin + traits(type).block_bytes;
  const float d = (random.bits() % 2 == 0 ? 1.0f : -1.0f) * static_cast<float>(0.5 + random.uniform());
  if (type == TensorType::kIQ4_XS) put_u16(bytes, f32_to_f16(d / 64.0f / 16.0f));
  if (type == TensorType::kQ4_K || type == TensorType::kQ5_K) {
    const float levels = type == TensorType::kQ4_K ? 16.0f : 32.0f;
    put_u16(bytes, f32_to_f16(d * 3.0f / levels / 32.0f));
    put_u16(bytes, f32_to_f16(d * 1.5f / 32.0f));
  }
  while (bytes.size() < end) bytes.push_back(static_cast<std::uint8_t>(random.bits() & 255));
  if (type == TensorType::kQ2_K) {
    bytes.resize(end - 4);
    put_u16(bytes, f32_to_f16(d * 3.0f / 4.0f / 8.0f));
    put_u16(bytes, f32_to_f16(d * 1.5f / 8.0f));
  }
  if (type == TensorType::kQ3_K || type == TensorType::kQ6_K) {
    bytes.resize(end - 2);
    put_u16(bytes,
            f32_to_f16(type == TensorType::kQ3_K ? d * 3.0f / 8.0f / 16.0f : d * 3.0f / 64.0f / 64.0f));
  }
}

}  // namespace

std::uint64_t Random::next() {  // splitmix64
  state_ += 0x9E3779B97F4A7C15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

std::uint32_t Random::bits() {
  return static_cast<std::uint32_t>(next() >> 32);
}

double Random::uniform() {
  return bits() / 4294967296.0;
}

float Random::normal() {
  // Twice four uniform numbers of 16 bits: at most 4.9 in size. Integers, because tests draw millions, and
  // emulators are slow at logarithms.
  constexpr std::uint64_t kEvery = 0x0000FFFF0000FFFFu;
  std::uint64_t sums = 0;
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t z = next();
    sums += (z & kEvery) + (z >> 16 & kEvery);
  }
  constexpr std::int32_t kMean = 4 * 65535;
  constexpr float kDeviation = 53509.92f;  // the root of 8 (2^32 - 1) / 12
  const auto sum = static_cast<std::int32_t>((sums & 0xFFFFFFFFu) + (sums >> 32));
  return static_cast<float>(sum - kMean) / kDeviation;
}

std::vector<float> Random::normals(std::size_t count, float scale) {
  std::vector<float> values(count);
  for (float& value : values) value = scale * normal();
  return values;
}

std::vector<std::uint8_t> random_weights(TensorType type, std::size_t rows, std::size_t width,
                                         Random& random) {
  const TensorTypeTraits& layout = traits(type);
  std::vector<std::uint8_t> bytes;
  for (std::size_t b = 0; b < rows * width / layout.block_elements; ++b) {
    switch (type) {
      case TensorType::kF32: {
        const float value = random.normal();
        bytes.resize(bytes.size() + sizeof value);
        std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
        continue;
      }
      case TensorType::kF16: put_u16(bytes, f32_to_f16(random.normal())); continue;
      case TensorType::kBF16: put_u16(bytes, f32_to_bf16(random.normal())); continue;
      default: break;
    }
    const std::size_t end = bytes.size() + layout.block_bytes;
    if (layout.block_elements == 256) {
      append_super_block(type, random, bytes);
      continue;
    }
    if (type == TensorType::kMXFP4) bytes.push_back(static_cast<std::uint8_t>(124 + random.bits() % 4));
    const bool five_bits = type == TensorType::kQ5_0 || type == TensorType::kQ5_1;
    const float levels = type == TensorType::kQ8_0 ? 256.0f : five_bits ? 32.0f : 16.0f;
    const float sign = random.bits() % 2 == 0 ? 1.0f : -1.0f;
    const float d = sign * 3.0f / levels * static_cast<float>(0.5 + random.uniform());
    if (type == TensorType::kIQ4_NL) {
      put_u16(bytes, f32_to_f16(sign / 64.0f * static_cast<float>(0.5 + random.uniform())));
    } else if (type != TensorType::kMXFP4) {
      put_u16(bytes, f32_to_f16(d));
    }
    if (type == TensorType::kQ4_1 || type == TensorType::kQ5_1) put_u16(bytes, f32_to_f16(-d * levels / 2));
    while (bytes.size() < end) bytes.push_back(static_cast<std::uint8_t>(random.bits() & 255));
  }
  return bytes;
}

std::string type_name(TensorType type) {
  return traits(type).name;
}

}  // namespace emberline::testing
