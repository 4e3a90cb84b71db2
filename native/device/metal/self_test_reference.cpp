#include "device/metal/self_test_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/half.h"
#include "device/gate_reference.h"
#include "device/op_params.h"
#include "gguf/super_block.h"

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

// A block of 256 elements.
void widen_super_block(TensorType type, const std::uint8_t* block, double* out) {
  const SuperBlock super = take_apart(type, block);
  const double d = f16_to_f32(super.d), m = f16_to_f32(super.m);
  for (const SuperBlock::Part& part : super.parts) {
    for (std::size_t c = 0; c < SuperBlock::kPartElements; ++c) {
      const std::size_t half = c / 16;
      double quant = part.quants[c];
      if (type == TensorType::kQ2_K) quant /= 16;
      if (type == TensorType::kQ3_K) quant = quant / 8 - 4;
      if (type == TensorType::kQ6_K) quant -= 32;
      if (type == TensorType::kIQ4_XS) quant = kIq4Codes[part.quants[c]];
      *out++ = d * part.scales[half] * quant + m * part.minima[half];
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
  if (layout.block_elements == 256) {
    for (std::size_t i = 0; i < count; i += 256)
      widen_super_block(type, weights.data() + i / 256 * layout.block_bytes, result.data() + i);
    return result;
  }
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
      default: result[i] = block_element(type, block, i % layout.block_elements);
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
