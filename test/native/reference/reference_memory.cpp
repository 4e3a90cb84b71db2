#include "reference/reference_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/half.h"
#include "reference/reference_device.h"

namespace emberline::testing {
namespace {

// More elements of a buffer are widened anew each time: 128 MiB of them.
constexpr std::size_t kMostWidened = std::size_t{1} << 24;

constexpr std::size_t kMostBytes = std::size_t{1} << 32;  // of a buffer: more is too large for a test

std::size_t row_bytes(std::uint32_t type_id, std::size_t width) {
  const TensorTypeTraits* layout = tensor_type_traits(type_id);
  if (layout == nullptr || width % layout->block_elements != 0) {
    fail(ErrorCode::kInvalidArgument, "no such weight row");
  }
  return width / layout->block_elements * layout->block_bytes;
}

}  // namespace

Result<BufferId> ReferenceMemory::allocate(std::size_t bytes) {
  if (bytes > kMostBytes) return Status(ErrorCode::kOutOfMemory, "too large for a test");
  Buffer buffer;
  buffer.owned.resize(bytes);
  buffer.bytes = buffer.owned;
  buffer.writable = true;
  return add(std::move(buffer));
}

Result<BufferId> ReferenceMemory::reserve(std::size_t most) {
  Buffer buffer;
  buffer.most = most;
  buffer.writable = true;
  return add(std::move(buffer));
}

void ReferenceMemory::grow(BufferId id, std::size_t bytes) {
  const auto found = buffers_.find(id);
  if (found == buffers_.end() || bytes > found->second.most)
    fail(ErrorCode::kInvalidArgument, "more than was reserved");
  if (bytes > kMostBytes) fail(ErrorCode::kOutOfMemory, "too large for a test");
  Buffer& buffer = found->second;
  buffer.owned.resize(std::max(buffer.owned.size(), bytes));
  buffer.bytes = buffer.owned;
}

Result<LoadedMatrices> ReferenceMemory::load_matrices(std::span<const MatrixSource> sources,
                                                      const MatrixLoading& loading) {
  Buffer buffer;
  LoadedMatrices loaded;
  for (const MatrixSource& source : sources) {
    const TensorTypeTraits& layout = traits(source.type);
    const std::size_t bytes =
        std::size_t{source.rows} * (source.columns / layout.block_elements) * layout.block_bytes;
    if (bytes > source.data.size()) return Status(ErrorCode::kInvalidArgument, "a source is too short");
    loaded.offsets.push_back(buffer.owned.size());
    buffer.owned.insert(buffer.owned.end(), source.data.begin(),
                        source.data.begin() + static_cast<std::ptrdiff_t>(bytes));
    buffer.owned.resize((buffer.owned.size() + 7) / 8 * 8);
    if (loading.consumed) loading.consumed(source.data);
  }
  buffer.bytes = buffer.owned;
  loaded.buffer = add(std::move(buffer));
  return loaded;
}

void ReferenceMemory::release(BufferId id) {
  buffers_.erase(id);
}

BufferId ReferenceMemory::add(Buffer buffer) {
  buffers_.emplace(next_id_, std::move(buffer));
  return next_id_++;
}

std::span<const std::uint8_t> ReferenceMemory::const_bytes(Binding at, std::size_t bytes) const {
  const auto found = buffers_.find(at.buffer);
  if (found == buffers_.end()) fail(ErrorCode::kInvalidArgument, "no such buffer");
  const auto all = found->second.bytes;
  if (at.offset > all.size() || bytes > all.size() - at.offset) {
    fail(ErrorCode::kInvalidArgument, "access outside the buffer");
  }
  return all.subspan(at.offset, bytes);
}

std::uint8_t* ReferenceMemory::mutable_bytes(Binding at, std::size_t bytes) {
  const_bytes(at, bytes);
  Buffer& buffer = buffers_.at(at.buffer);
  if (!buffer.writable) fail(ErrorCode::kInvalidArgument, "the buffer is read-only");
  return buffer.owned.data() + at.offset;
}

Row ReferenceMemory::load_row(Binding at, std::size_t row, std::size_t width) const {
  const auto bytes = const_bytes({at.buffer, at.offset + row * width * 4}, width * 4);
  std::vector<float> values(width);
  std::memcpy(values.data(), bytes.data(), width * 4);
  return Row(values.begin(), values.end());
}

void ReferenceMemory::store_row(Binding at, std::size_t row, const Row& values) {
  std::vector<float> rounded(values.begin(), values.end());
  std::memcpy(mutable_bytes({at.buffer, at.offset + row * rounded.size() * 4}, rounded.size() * 4),
              rounded.data(), rounded.size() * 4);
}

Row ReferenceMemory::load_half_row(Binding at, std::size_t width) const {
  const auto bytes = const_bytes(at, width * 2);
  Row values(width);
  for (std::size_t i = 0; i < width; ++i) {
    std::uint16_t half;
    std::memcpy(&half, bytes.data() + 2 * i, 2);
    values[i] = f16_to_f32(half);
  }
  return values;
}

void ReferenceMemory::store_half_row(Binding at, const Row& values) {
  std::uint8_t* to = mutable_bytes(at, values.size() * 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t half = f32_to_f16(static_cast<float>(values[i]));
    std::memcpy(to + 2 * i, &half, 2);
  }
}

Row ReferenceMemory::weight_row(Binding at, std::uint32_t type_id, std::size_t row, std::size_t width) const {
  const std::size_t bytes = row_bytes(type_id, width);
  return widen_row(static_cast<TensorType>(type_id), const_bytes({at.buffer, at.offset + row * bytes}, bytes),
                   0, width);
}

Rows ReferenceMemory::weight_rows(Binding at, std::uint32_t type, std::size_t first, std::size_t count,
                                  std::size_t width) {
  at.offset += first * row_bytes(type, width);
  const auto found = buffers_.find(at.buffer);
  if (found == buffers_.end()) fail(ErrorCode::kInvalidArgument, "no such buffer");
  Buffer& buffer = found->second;
  const RowsKey key(at.offset, type, count, width);
  if (const auto kept = buffer.widened.find(key); kept != buffer.widened.end()) return kept->second;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(weight_row(at, type, i, width));
  Rows made = std::make_shared<const std::vector<Row>>(std::move(rows));
  if (!buffer.writable && buffer.widened_elements + count * width <= kMostWidened) {
    buffer.widened_elements += count * width;
    buffer.widened.emplace(key, made);
  }
  return made;
}

}  // namespace emberline::testing
