#include "device/cpu/checked_command.h"

#include "device/cpu/packed/packed_matrix.h"

namespace emberline {

std::uint8_t* CheckedCommand::bytes(int slot, std::uint64_t count, std::size_t alignment, Access access,
                                    Room room) {
  const Binding& bound = binding(slot);
  const BufferView buffer = view(slot);
  if (buffer.data == nullptr) {
    fail("a binding names no buffer");
    return nullptr;
  }
  require(access != Access::kWrite || buffer.writable, "an output is bound to read-only memory");
  require(access != Access::kWeight || buffer.packed, "a weight is not a matrix that the device loaded");
  require(access == Access::kWeight || !buffer.packed, "a loaded matrix is bound where no weight belongs");
  const std::size_t most = room == Room::kUsable ? buffer.bytes : buffer.most;
  require(bound.offset <= most && count <= most - bound.offset, "a binding reaches past its buffer");
  if (!ok()) return nullptr;
  std::uint8_t* at = buffer.data + bound.offset;
  require(reinterpret_cast<std::uintptr_t>(at) % alignment == 0,
          "a binding is not aligned to its element size");
  used_.push_back(bound.buffer);
  if (access != Access::kWeight && room == Room::kUsable) traffic_.other += count;
  if (access == Access::kRead && room == Room::kAsItGrows) traffic_.kv += count / kKvPagePositions;
  return at;
}

const std::uint32_t* CheckedCommand::words(int slot, std::uint64_t count) {
  constexpr std::size_t kSize = sizeof(std::uint32_t);
  return reinterpret_cast<const std::uint32_t*>(bytes(slot, count * kSize, kSize, Access::kRead));
}

std::uint32_t* CheckedCommand::output_words(int slot, std::uint64_t count) {
  constexpr std::size_t kSize = sizeof(std::uint32_t);
  return reinterpret_cast<std::uint32_t*>(bytes(slot, count * kSize, kSize, Access::kWrite));
}

const float* CheckedCommand::floats(int slot, std::uint64_t count) {
  return reinterpret_cast<const float*>(bytes(slot, count * sizeof(float), sizeof(float), Access::kRead));
}

const float* CheckedCommand::optional_floats(int slot, std::uint64_t count) {
  return binding(slot).buffer == kNoBuffer ? nullptr : floats(slot, count);
}

float* CheckedCommand::output_floats(int slot, std::uint64_t count) {
  return reinterpret_cast<float*>(bytes(slot, count * sizeof(float), sizeof(float), Access::kWrite));
}

PackedWeight CheckedCommand::weight(int slot, std::uint32_t type_id, std::uint32_t rows,
                                    std::uint32_t width) {
  // Rows that only fill the last panel are read, too.
  return weight_rows(slot, type_id, rows, width,
                     (std::uint64_t{rows} + kPanelRows - 1) / kPanelRows * kPanelRows);
}

PackedWeight CheckedCommand::weight_rows(int slot, std::uint32_t type_id, std::uint32_t rows,
                                         std::uint32_t width, std::uint64_t rows_read) {
  PackedWeight weight;
  const TensorTypeTraits* layout = tensor_type_traits(type_id);
  if (layout == nullptr) {
    fail("there are no kernels for the weight's type");
    return weight;
  }
  if (!extent(rows) || !extent(width)) return weight;
  require(width % layout->block_elements == 0, "the width is no multiple of the weight's block");
  if (!ok()) return weight;
  const MatrixShape shape{static_cast<TensorType>(type_id), rows, width};
  weight.type = shape.type;
  weight.panel_bytes = shape.panel_bytes();
  weight.data = bytes(slot, shape.packed_bytes(), alignof(PackedF32), Access::kWeight);
  traffic_.weights += rows_read * (shape.panel_bytes() / kPanelRows);
  return weight;
}

void CheckedCommand::apart(const float* input, std::uint64_t input_count, const float* output,
                           std::uint64_t output_count) {
  const auto from = reinterpret_cast<std::uintptr_t>(input), to = reinterpret_cast<std::uintptr_t>(output);
  require(input == nullptr || output == nullptr || from + input_count * sizeof(float) <= to ||
              to + output_count * sizeof(float) <= from,
          "an output overlaps an input");
}

}  // namespace emberline
