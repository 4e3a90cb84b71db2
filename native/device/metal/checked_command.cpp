#include "device/metal/checked_command.h"

namespace emberline::metal {
namespace {

// Metal wants the start of a binding on a multiple of 4 bytes, whatever lies there.
constexpr std::size_t kBindingAlignment = 4;

}  // namespace

void CheckedCommand::bytes(int slot, std::uint64_t count, std::uint64_t room, std::size_t alignment,
                           Access access) {
  const Binding& bound = binding(slot);
  require(bound.offset <= room && count <= room - bound.offset, "a binding reaches past its buffer");
  require(bound.offset % alignment == 0, "a binding is not aligned to its element size");
  if (ok()) accesses_.push_back({bound.buffer, bound.offset, bound.offset + count, access == Access::kWrite});
}

void CheckedCommand::words(int slot, std::uint64_t count, Access access) {
  const BufferExtent buffer = buffers_.extent(binding(slot).buffer);
  require(buffer.most > 0, "a binding names no buffer");
  require(!buffer.matrices, "a loaded matrix is bound where no weight belongs");
  bytes(slot, count * 4, buffer.usable, kBindingAlignment, access);
  if (ok()) traffic_.other += count * 4;
}

void CheckedCommand::reads_weight_rows(int slot, std::uint32_t type_id, std::uint32_t rows,
                                       std::uint32_t width, std::uint64_t rows_read) {
  const TensorTypeTraits* layout = tensor_type_traits(type_id);
  require(layout != nullptr, "there are no kernels for the weight's type");
  if (!extent(rows) || !extent(width)) return;
  require(width % layout->block_elements == 0, "the width is no multiple of the weight's block");
  const BufferExtent buffer = buffers_.extent(binding(slot).buffer);
  require(buffer.most > 0, "a binding names no buffer");
  require(buffer.matrices, "a weight is not a matrix that the device loaded");
  const std::uint64_t row_bytes = std::uint64_t{width} / layout->block_elements * layout->block_bytes;
  bytes(slot, rows * row_bytes, buffer.usable, kBindingAlignment, Access::kRead);
  if (ok()) traffic_.weights += rows_read * row_bytes;
}

void CheckedCommand::uses_cache(int slot, std::uint64_t page_bytes, Access access) {
  const BufferExtent buffer = buffers_.extent(binding(slot).buffer);
  require(buffer.most > 0, "a binding names no buffer");
  require(!buffer.matrices, "a loaded matrix is bound where no weight belongs");
  bytes(slot, page_bytes, buffer.most, kBindingAlignment, access);
  if (!ok()) return;
  accesses_.back().end = buffer.most;
  if (access == Access::kRead) traffic_.kv += page_bytes / kKvPagePositions;
}

void CheckedCommand::apart(int input, std::uint64_t input_count, int output, std::uint64_t output_count) {
  const Binding &from = binding(input), &to = binding(output);
  require(from.buffer != to.buffer || from.offset + input_count * 4 <= to.offset ||
              to.offset + output_count * 4 <= from.offset,
          "an output overlaps an input");
}

}  // namespace emberline::metal
