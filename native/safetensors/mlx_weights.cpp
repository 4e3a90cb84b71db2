#include "safetensors/mlx_weights.h"

#include <cmath>
#include <cstring>
#include <string>

#include "base/half.h"
#include "gguf/describe.h"

namespace emberline {
namespace {

constexpr std::uint32_t kBlock = 32;

Status wrong_shape(const std::string& name) {
  return {ErrorCode::kModelTensorShape, "The tensor " + quoted(name) +
                                            " of the model does not fit its scales and biases; get another "
                                            "model."};
}

float element(const SafetensorsTensor& tensor, std::uint64_t index) {
  if (tensor.type == "F32") {
    float value;
    std::memcpy(&value, tensor.data.data() + index * sizeof value, sizeof value);
    return value;
  }
  std::uint16_t bits;
  std::memcpy(&bits, tensor.data.data() + index * sizeof bits, sizeof bits);
  return tensor.type == "F16" ? f16_to_f32(bits) : bf16_to_f32(bits);
}

// False where it is too large, or no number.
bool put_half(float value, std::uint8_t* to) {
  const std::uint16_t half = f32_to_f16(value);
  std::memcpy(to, &half, sizeof half);
  return (half & 0x7C00) != 0x7C00;
}

// One row's quants, one after the other.
class QuantStream {
 public:
  QuantStream(const std::uint8_t* bytes, std::uint32_t bits) : bytes_(bytes), bits_(bits) {}
  std::uint32_t next() {
    while (held_ < bits_) {
      window_ |= std::uint32_t{*bytes_++} << held_;
      held_ += 8;
    }
    const std::uint32_t quant = window_ & ((1u << bits_) - 1);
    window_ >>= bits_;
    held_ -= bits_;
    return quant;
  }

 private:
  const std::uint8_t* bytes_;
  std::uint32_t bits_, window_ = 0, held_ = 0;
};

bool unpack_blocks(QuantStream quants, std::uint32_t columns, float scale, float bias, std::uint8_t*& to) {
  for (std::uint32_t block = 0; block < columns / kBlock; ++block) {
    if (!put_half(scale, to) || !put_half(bias, to + 2)) return false;
    std::uint8_t* const nibbles = to + 4;
    for (std::uint32_t i = 0; i < kBlock / 2; ++i) nibbles[i] = static_cast<std::uint8_t>(quants.next());
    for (std::uint32_t i = 0; i < kBlock / 2; ++i)
      nibbles[i] = static_cast<std::uint8_t>(nibbles[i] | quants.next() << 4);
    to += traits(TensorType::kQ4_1).block_bytes;
  }
  return true;
}

bool unpack_halves(QuantStream quants, std::uint32_t columns, float scale, float bias, std::uint8_t*& to) {
  for (std::uint32_t i = 0; i < columns; ++i, to += 2) {
    if (!put_half(scale * static_cast<float>(quants.next()) + bias, to)) return false;
  }
  return true;
}

}  // namespace

Result<MlxMatrix> mlx_matrix(const SafetensorsTensor& weight, const SafetensorsTensor& scales,
                             const SafetensorsTensor& biases, const MlxGroups& groups) {
  const auto real = [](const SafetensorsTensor& tensor) {
    return tensor.type == "F16" || tensor.type == "BF16" || tensor.type == "F32";
  };
  if (weight.type != "U32" || weight.shape.size() != 2 || !real(scales) || scales.shape.size() != 2 ||
      biases.type != scales.type || biases.shape != scales.shape || weight.shape[0] != scales.shape[0]) {
    return wrong_shape(weight.name);
  }
  // Neither overflows: both tensors lie in a file.
  const std::uint64_t columns = scales.shape[1] * groups.width;
  if (weight.shape[0] == 0 || columns == 0 || weight.shape[1] * 32 != columns * groups.bits)
    return wrong_shape(weight.name);
  return MlxMatrix{&weight, &scales, &biases, groups, weight.shape[0], columns};
}

TensorType engine_type(const MlxGroups& groups) {
  return groups.bits == 4 ? TensorType::kQ4_1 : TensorType::kF16;
}

Status unpack(const MlxMatrix& matrix, std::span<std::uint8_t> to) {
  const std::uint32_t width = matrix.groups.width, bits = matrix.groups.bits;
  // A group's quants are whole bytes: its width is a multiple of 32.
  const std::size_t group_bytes = std::size_t{width} / 8 * bits;
  const std::uint64_t groups = matrix.rows * (matrix.columns / width);
  const auto unpack_group = bits == 4 ? unpack_blocks : unpack_halves;
  const std::uint8_t* from = matrix.weight->data.data();
  std::uint8_t* position = to.data();
  for (std::uint64_t group = 0; group < groups; ++group, from += group_bytes) {
    const float scale = element(*matrix.scales, group), bias = element(*matrix.biases, group);
    if (!unpack_group(QuantStream(from, bits), width, scale, bias, position)) {
      return {ErrorCode::kModelTensorTypeUnsupported,
              "The tensor " + quoted(matrix.weight->name) +
                  " of the model has a scale or bias beyond half floats; choose another quantisation."};
    }
  }
  return {};
}

}  // namespace emberline
