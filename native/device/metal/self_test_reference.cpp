#include "device/metal/self_test_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/half.h"
#include "device/gate_reference.h"
#include "device/op_params.h"

namespace emberline::metal::reference {
namespace {

// Knuth's linear congruential generator (MMIX).
class Sequence {
 public:
  explicit Sequence(std::uint32_t seed) : state_(seed) { bits(); }
  std::uint32_t bits() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 32);
  }
  float value() { return static_cast<float>(static_cast<std::int32_t>(bits()) >> 16) / 32768.0f; }

 private:
  std::uint64_t state_;
};

// Of a block of 32 weights: where its parts lie, and what they mean (gguf/tensor_type.h).
struct BlockLayout {
  bool has_minimum;  // a second half
  int bits;          // a quant
  int middle;        // taken off a quant
};

BlockLayout block_layout(TensorType type) {
  switch (type) {
    case TensorType::kQ4_0: return {false, 4, 8};
    case TensorType::kQ4_1: return {true, 4, 0};
    case TensorType::kQ5_0: return {false, 5, 16};
    case TensorType::kQ5_1: return {true, 5, 0};
    default: return {false, 8, 0};
  }
}

constexpr float kIq4Codes[] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
constexpr double kE2m1Codes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

std::uint16_t load_half(const std::uint8_t* from) {
  return static_cast<std::uint16_t>(from[0] | from[1] << 8);
}

double block_element(TensorType type, const std::uint8_t* block, std::size_t i) {
  const BlockLayout layout = block_layout(type);
  const double scale = f16_to_f32(load_half(block));
  const double minimum = layout.has_minimum ? f16_to_f32(load_half(block + 2)) : 0.0f;
  const std::uint8_t* quants = block + (layout.has_minimum ? 4 : 2);
  if (layout.bits == 8) return scale * static_cast<std::int8_t>(quants[i]);
  std::uint32_t fifth = 0;
  if (layout.bits == 5) {
    std::memcpy(&fifth, quants, sizeof(fifth));
    quants += sizeof(fifth);
  }
  const int nibble = i < 16 ? quants[i] & 15 : quants[i - 16] >> 4;
  const int quant = nibble | static_cast<int>(fifth >> i & 1) << 4;
  return scale * (quant - layout.middle) + minimum;
}

// `count` bits from bit `first` on, of which bit 0 is the lowest of byte 0.
std::uint32_t bits_of(const std::uint8_t* bytes, std::size_t first, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t b = 0; b < count; ++b)
    value |= static_cast<std::uint32_t>(bytes[(first + b) / 8] >> ((first + b) % 8) & 1) << b;
  return value;
}

// Element i of a super-block (gguf/tensor_type.h).
double super_block_element(TensorType type, const std::uint8_t* block, std::size_t i) {
  const std::size_t half = i / 128, quarter = i % 128 / 32, c = i % 32, group = i / 32, sixteen = i / 16;
  const auto factor = [block](std::size_t at) { return double{f16_to_f32(load_half(block + at))}; };
  // Two bits of the byte that four elements of a half share.
  const auto two_bits = [&](std::size_t at) {
    return static_cast<int>(bits_of(block + at + 32 * half + c, 2 * quarter, 2));
  };
  switch (type) {
    case TensorType::kQ2_K:
      return factor(80) * (block[sixteen] & 15) * two_bits(16) - factor(82) * (block[sixteen] >> 4);
    case TensorType::kQ3_K: {
      const std::uint32_t low = bits_of(block + 96 + sixteen % 8, sixteen / 8 * 4, 4);
      const std::uint32_t high = bits_of(block + 104 + sixteen % 4, sixteen / 4 * 2, 2);
      const int third = static_cast<int>(bits_of(block + c, group, 1)) * 4 - 4;
      return factor(108) * (static_cast<int>(low | high << 4) - 32) * (two_bits(32) + third);
    }
    case TensorType::kQ6_K: {
      const std::uint32_t low = bits_of(block + 64 * half + quarter % 2 * 32 + c, quarter / 2 * 4, 4);
      return factor(208) * static_cast<std::int8_t>(block[192 + sixteen]) *
             (static_cast<int>(low) + two_bits(128) * 16 - 32);
    }
    case TensorType::kIQ4_XS: {
      const std::uint32_t scale = bits_of(block + 4, 4 * group, 4) | bits_of(block + 2, 2 * group, 2) << 4;
      const std::uint32_t code = bits_of(block + 8 + 16 * group + c % 16, c / 16 * 4, 4);
      return factor(0) * (static_cast<int>(scale) - 32) * kIq4Codes[code];
    }
    default: {  // Q4_K and Q5_K
      const bool five_bits = type == TensorType::kQ5_K;
      const std::uint8_t* scales = block + 4;
      const auto six_bits = [&](std::size_t first) {  // 0: scales, 4: minima
        if (group < 4) return bits_of(scales + first + group, 0, 6);
        return bits_of(scales + 4 + group, first, 4) | bits_of(scales + first + group - 4, 6, 2) << 4;
      };
      std::uint32_t q = bits_of(block + (five_bits ? 48 : 16) + group / 2 * 32 + c, group % 2 * 4, 4);
      if (five_bits) q |= bits_of(block + 16 + c, group, 1) << 4;
      return factor(0) * six_bits(0) * q - factor(2) * six_bits(4);
    }
  }
}

double coded_element(TensorType type, const std::uint8_t* block, std::size_t i) {
  const std::uint8_t* nibbles = block + (type == TensorType::kMXFP4 ? 1 : 2);
  const std::size_t code = i < 16 ? nibbles[i] & 15 : nibbles[i - 16] >> 4;
  if (type == TensorType::kIQ4_NL) return f16_to_f32(load_half(block)) * double{kIq4Codes[code]};
  return std::ldexp(kE2m1Codes[code % 8], block[0] - 127) * (code < 8 ? 1 : -1);
}

void store_half(std::uint8_t* to, float value) {
  const std::uint16_t half = f32_to_f16(value);
  std::memcpy(to, &half, sizeof(half));
}

// The scale of a block of random quants, and the factor of its minima, so that elements lie in about -1 to 1.
void store_factors(TensorType type, std::uint8_t* block, float value) {
  switch (type) {
    case TensorType::kQ2_K:
      store_half(block + 80, value / 45.0f);
      return store_half(block + 82, value / 30.0f);
    case TensorType::kQ3_K: return store_half(block + 108, value / 128.0f);
    case TensorType::kQ4_K:
    case TensorType::kQ5_K:
      store_half(block, value / (type == TensorType::kQ4_K ? 945.0f : 1953.0f));
      return store_half(block + 2, value / 126.0f);
    case TensorType::kQ6_K: return store_half(block + 208, value / 4096.0f);
    case TensorType::kIQ4_NL: return store_half(block, value / 127.0f);
    case TensorType::kIQ4_XS: return store_half(block, value / 4064.0f);
    case TensorType::kMXFP4: block[0] = 124; return;
    default: {
      const BlockLayout layout = block_layout(type);
      store_half(block, value / static_cast<float>(1 << (layout.bits - 1)));
      if (layout.has_minimum) store_half(block + 2, -value);
    }
  }
}

}  // namespace

std::vector<float> values(std::size_t count, std::uint32_t seed) {
  Sequence sequence(seed);
  std::vector<float> result(count);
  for (float& value : result) value = sequence.value();
  return result;
}

std::vector<std::uint8_t> weights(TensorType type, std::size_t rows, std::size_t columns,
                                  std::uint32_t seed) {
  Sequence sequence(seed);
  const TensorTypeTraits& layout = traits(type);
  std::vector<std::uint8_t> bytes(rows * (columns / layout.block_elements) * layout.block_bytes);
  for (std::size_t at = 0; at < bytes.size(); at += layout.block_bytes) {
    std::uint8_t* element = bytes.data() + at;
    const float value = sequence.value();
    if (type == TensorType::kF32) {
      std::memcpy(element, &value, sizeof(value));
    } else if (type == TensorType::kF16) {
      store_half(element, value);
    } else if (type == TensorType::kBF16) {
      const std::uint16_t half = f32_to_bf16(value);
      std::memcpy(element, &half, sizeof(half));
    } else {
      for (std::uint32_t i = 0; i < layout.block_bytes; ++i)
        element[i] = static_cast<std::uint8_t>(sequence.bits());
      store_factors(type, element, value);
    }
  }
  return bytes;
}

Values widen(TensorType type, const std::vector<std::uint8_t>& weights, std::size_t count) {
  const TensorTypeTraits& layout = traits(type);
  Values result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* block = weights.data() + i / layout.block_elements * layout.block_bytes;
    float value = 0;
    switch (type) {
      case TensorType::kF32:
        std::memcpy(&value, block, sizeof(value));
        result[i] = value;
        break;
      case TensorType::kF16: result[i] = f16_to_f32(load_half(block)); break;
      case TensorType::kBF16: result[i] = bf16_to_f32(load_half(block)); break;
      case TensorType::kIQ4_NL:
      case TensorType::kMXFP4: result[i] = coded_element(type, block, i % layout.block_elements); break;
      default:
        result[i] = layout.block_elements == 256 ? super_block_element(type, block, i % layout.block_elements)
                                                 : block_element(type, block, i % layout.block_elements);
    }
  }
  return result;
}

Values widen(const std::vector<float>& values) {
  return Values(values.begin(), values.end());
}

Values product(const Values& x, const Values& weight, std::size_t in) {
  Values y;
  for (std::size_t row = 0; row < x.size(); row += in) {
    for (std::size_t o = 0; o < weight.size(); o += in) {
      double sum = 0;
      for (std::size_t i = 0; i < in; ++i) sum += x[row + i] * weight[o + i];
      y.push_back(sum);
    }
  }
  return y;
}

Values rms_norm(const Values& x, const Values& gain, double epsilon) {
  const std::size_t width = gain.size();
  Values y = x;
  for (std::size_t row = 0; row < x.size(); row += width) {
    double squares = 0;
    for (std::size_t i = 0; i < width; ++i) squares += x[row + i] * x[row + i];
    const double scale = 1.0 / std::sqrt(squares / static_cast<double>(width) + epsilon);
    for (std::size_t i = 0; i < width; ++i) y[row + i] *= scale * gain[i];
  }
  return y;
}

void rotate(Values& rows, std::size_t head_width, std::size_t row_width, std::uint32_t position, double theta,
            bool halves, const std::vector<float>& factors) {
  for (std::size_t head = 0; head < rows.size(); head += head_width) {
    const double at = position + static_cast<double>(head / row_width);
    for (std::size_t i = 0; i < head_width / 2; ++i) {
      const double angle = at *
                           std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(head_width)) /
                           (factors.empty() ? 1.0 : factors[i]);
      double& a = rows[head + (halves ? i : 2 * i)];
      double& b = rows[head + (halves ? i + head_width / 2 : 2 * i + 1)];
      const double turned = a * std::cos(angle) - b * std::sin(angle);
      b = a * std::sin(angle) + b * std::cos(angle);
      a = turned;
    }
  }
}

std::vector<float> rotation_factors(std::size_t count) {
  std::vector<float> factors(count);
  for (std::size_t i = 0; i < count; ++i)
    factors[i] = 1.0f + 7.0f * static_cast<float>(i) / static_cast<float>(count);
  return factors;
}

Values gated_unit(const Values& gate, const Values& up, std::uint32_t activation) {
  Values out(gate.size());
  for (std::size_t i = 0; i < gate.size(); ++i) out[i] = gate_reference(gate[i], activation) * up[i];
  return out;
}

Values soft_capped(const Values& x, double cap) {
  Values y = x;
  for (double& value : y) value = cap * std::tanh(value / cap);
  return y;
}

Values attention(const Values& q, const Values& keys, const Values& values, const Heads& heads,
                 const Scores& kind) {
  const std::size_t q_width = heads.query * heads.width, kv_width = heads.kv * heads.width;
  const std::size_t rows = q.size() / q_width, entries = keys.size() / kv_width;
  Values out(q.size());
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t end = entries - rows + r + 1;
    const std::size_t first = kind.window != 0 && kind.window < end ? end - kind.window : 0;
    const std::size_t seen = end - first;
    for (std::size_t head = 0; head < heads.query; ++head) {
      const std::size_t from = r * q_width + head * heads.width;
      const std::size_t kv = head / (heads.query / heads.kv) * heads.width;
      Values scores(seen);
      for (std::size_t e = 0; e < seen; ++e) {
        for (std::size_t i = 0; i < heads.width; ++i)
          scores[e] += kind.scale * q[from + i] * keys[(first + e) * kv_width + kv + i];
      }
      if (kind.cap != 0) scores = soft_capped(scores, kind.cap);
      const double largest = *std::max_element(scores.begin(), scores.end());
      double sum = 0;
      for (double& score : scores) sum += score = std::exp(score - largest);
      for (std::size_t e = 0; e < seen; ++e) {
        for (std::size_t i = 0; i < heads.width; ++i)
          out[from + i] += scores[e] / sum * values[(first + e) * kv_width + kv + i];
      }
    }
  }
  return out;
}

}  // namespace emberline::metal::reference
