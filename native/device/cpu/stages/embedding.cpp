#include <cstring>

#include "base/half.h"
#include "device/cpu/stages/stages.h"

namespace emberline {
namespace {

std::uint16_t read_u16(const std::uint8_t* p) {
  return static_cast<std::uint16_t>(p[0] | (p[1] << 8));
}

// One block of the table as floats.
void widen_block(TensorType type, const std::uint8_t* p, float* out) {
  const auto nibbles = [&](const std::uint8_t* from, const std::uint8_t* fifth_bits, float d, float m) {
    for (int i = 0; i < 32; ++i) {
      int quant = i < 16 ? from[i] & 15 : from[i - 16] >> 4;
      if (fifth_bits != nullptr) quant |= ((fifth_bits[i / 8] >> (i % 8)) & 1) << 4;
      out[i] = d * static_cast<float>(quant) + m;
    }
  };
  const float d = f16_to_f32(read_u16(p));
  switch (type) {
    case TensorType::kF32: std::memcpy(out, p, sizeof *out); return;
    case TensorType::kF16: *out = d; return;
    case TensorType::kBF16: *out = bf16_to_f32(read_u16(p)); return;
    case TensorType::kQ4_0: return nibbles(p + 2, nullptr, d, -8.0f * d);
    case TensorType::kQ4_1: return nibbles(p + 4, nullptr, d, f16_to_f32(read_u16(p + 2)));
    case TensorType::kQ5_0: return nibbles(p + 6, p + 2, d, -16.0f * d);
    case TensorType::kQ5_1: return nibbles(p + 8, p + 4, d, f16_to_f32(read_u16(p + 2)));
    case TensorType::kQ8_0:
      for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(static_cast<std::int8_t>(p[2 + i]));
      return;
  }
}

}  // namespace

void EmbeddingStage::run(const Step& step, Worker&, std::size_t begin, std::size_t end) const {
  const TensorTypeTraits& layout = traits(type);
  const std::size_t blocks = width / layout.block_elements;
  for (std::size_t r = begin; r < end; ++r) {
    const std::uint32_t token = tokens[r + (offset_by_step ? step.index : 0)];
    if (token >= vocabulary) {
      step.report(ErrorCode::kInvalidArgument);
      continue;
    }
    const std::uint8_t* row = table + std::size_t{token} * blocks * layout.block_bytes;
    for (std::size_t b = 0; b < blocks; ++b) {
      widen_block(type, row + b * layout.block_bytes, out + r * width + b * layout.block_elements);
    }
  }
}

}  // namespace emberline
