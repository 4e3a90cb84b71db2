#include "device/checks/command_reader.h"

#include <algorithm>

namespace emberline {
namespace {

constexpr std::size_t kWordBytes = 4, kHalfBytes = 2;

}  // namespace

bool CommandReader::patch(Patch kind) {
  if (command_.patch == Patch::kNone) return false;
  require(command_.patch == kind, kWrongPatch);
  return true;
}

BufferExtent CommandReader::buffer(int slot, bool matrices) {
  const BufferExtent buffer = buffers_.extent(binding(slot).buffer);
  require(buffer.most > 0, "a binding names no buffer");
  require(buffer.matrices || !matrices, "a weight is not a matrix that the device loaded");
  require(matrices || !buffer.matrices, "a loaded matrix is bound where no weight belongs");
  return buffer;
}

void CommandReader::bytes(int slot, std::uint64_t count, std::uint64_t room, std::size_t alignment,
                          Access access) {
  const Binding& bound = binding(slot);
  require(bound.offset <= room && count <= room - bound.offset, "a binding reaches past its buffer");
  require(bound.offset % alignment == 0, "a binding is not aligned to its element size");
  if (!ok()) return;
  std::uint64_t& end = ends_[static_cast<std::size_t>(slot)];
  end = std::max(end, bound.offset + count);
  checked_.slots |= 1u << slot;
  checked_.accesses.push_back({bound.buffer, bound.offset, bound.offset + count, access == Access::kWrite});
}

void CommandReader::words(int slot, std::uint64_t count, Access access) {
  bytes(slot, count * kWordBytes, buffer(slot, false).usable, kWordBytes, access);
  checked_.traffic.other += count * kWordBytes;
}

MatrixExtent CommandReader::matrix(int slot, std::uint32_t type_id, std::uint32_t rows, std::uint32_t width) {
  const TensorTypeTraits* layout = tensor_type_traits(type_id);
  require(layout != nullptr, "there are no kernels for the weight's type");
  extent(rows);
  extent(width);
  require(ok() && width % layout->block_elements == 0, "the width is no multiple of the weight's block");
  if (!ok()) return {};
  const MatrixExtent matrix = rules_.matrix(static_cast<TensorType>(type_id), rows, width);
  bytes(slot, matrix.bytes, buffer(slot, true).usable, kWordBytes, Access::kRead);
  return matrix;
}

void CommandReader::weight(int slot, std::uint32_t type_id, std::uint32_t rows, std::uint32_t width) {
  checked_.traffic.weights += matrix(slot, type_id, rows, width).bytes;
}

void CommandReader::weight_rows(int slot, std::uint32_t type_id, std::uint32_t rows, std::uint32_t width,
                                std::uint64_t rows_read) {
  checked_.traffic.weights += rows_read * matrix(slot, type_id, rows, width).row_bytes;
}

void CommandReader::cache(int slot, std::uint64_t page_bytes, Access access) {
  const std::uint64_t most = buffer(slot, false).most;
  bytes(slot, page_bytes, most, kHalfBytes, access);
  if (!ok()) return;
  checked_.accesses.back().end = most;
  if (access == Access::kRead) checked_.traffic.kv += page_bytes / kKvPagePositions;
}

void CommandReader::apart(int input, int output) {
  const auto end = [&](int slot) { return ends_[static_cast<std::size_t>(slot)]; };
  require(binding(input).buffer != binding(output).buffer || end(input) <= binding(output).offset ||
              end(output) <= binding(input).offset,
          "an output overlaps an input");
}

}  // namespace emberline
