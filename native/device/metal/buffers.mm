#include "device/metal/buffers.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "base/try.h"
#include "device/checks/host_access.h"

namespace emberline::metal {
namespace {

// Metal wants the start of a binding on a multiple of 4 bytes.
constexpr std::size_t kMatrixAlignment = 4;
NSString* const kPoolLabel = @"pool";
// Of matrices that are copied: a line of the cache.
constexpr std::size_t kCopyAlignment = 128;

Status no_memory(std::size_t bytes) {
  return Status(ErrorCode::kOutOfMemory, "There is no GPU memory for a buffer of " + std::to_string(bytes) +
                                             " bytes; use a shorter context or a smaller model.");
}

std::uint8_t* contents_of(id<MTLBuffer> memory) {
  return static_cast<std::uint8_t*>(memory.contents);  // null of nil
}

// 0 where the shape is not one of the type.
std::uint64_t matrix_bytes(const MatrixSource& source) {
  const TensorTypeTraits& layout = traits(source.type);
  if (source.columns % layout.block_elements != 0) return 0;
  return std::uint64_t{source.rows} * (source.columns / layout.block_elements) * layout.block_bytes;
}

std::size_t round_up(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
}

std::uintptr_t page_bytes() {
  return static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
}

// The pages that hold all sources.
std::span<const std::uint8_t> pages_of(std::span<const MatrixSource> sources) {
  const std::uintptr_t page = page_bytes();
  std::uintptr_t begin = UINTPTR_MAX, end = 0;
  for (const MatrixSource& source : sources) {
    const auto at = reinterpret_cast<std::uintptr_t>(source.data.data());
    begin = std::min(begin, at);
    end = std::max(end, at + static_cast<std::uintptr_t>(matrix_bytes(source)));
  }
  begin = begin / page * page;
  return {reinterpret_cast<const std::uint8_t*>(begin), round_up(end - begin, page)};
}

bool lies_in(std::span<const std::uint8_t> part, std::span<const std::uint8_t> whole) {
  return !whole.empty() && part.data() >= whole.data() && part.size() <= whole.size() &&
         part.data() - whole.data() <= static_cast<std::ptrdiff_t>(whole.size() - part.size());
}

}  // namespace

id<MTLBuffer> Buffers::new_memory(std::size_t bytes) const {
  if (bytes > device_.maxBufferLength) return nil;
  // Metal gives zeros, though its documentation leaves that open.
  id<MTLBuffer> memory = [device_ newBufferWithLength:bytes options:MTLResourceStorageModeShared];
  if (memory != nil) std::memset(contents_of(memory), 0, bytes);
  return memory;
}

Result<BufferId> Buffers::add(id<MTLBuffer> memory, const BufferExtent& extent, NSString* label) {
  if (next_id_ >= kScratchBuffer)
    return Status(ErrorCode::kOutOfMemory, "The device has no buffer ids left.");
  memory.label = label;
  buffers_.emplace(next_id_, Buffer{memory, extent, contents_of(memory)});
  return next_id_++;
}

Result<BufferId> Buffers::allocate(std::size_t bytes) {
  if (bytes == 0) return Status(ErrorCode::kInvalidArgument, "A device buffer cannot be empty.");
  id<MTLBuffer> memory = new_memory(bytes);
  if (memory == nil) return no_memory(bytes);
  return add(memory, {bytes, bytes, false}, @"memory");
}

Result<BufferId> Buffers::reserve(std::size_t most) {
  if (most == 0) return Status(ErrorCode::kInvalidArgument, "A device buffer cannot be empty.");
  // A buffer that grows lies in one piece of memory, which can be no larger than that.
  if (most > device_.maxBufferLength) return no_memory(most);
  return add(nil, {0, most, false}, kPoolLabel);
}

bool Buffers::moves(BufferId buffer_id, std::size_t bytes) const {
  const auto found = buffers_.find(buffer_id);
  return found != buffers_.end() && found->second.memory != nil && bytes > found->second.memory.length;
}

Status Buffers::grow(BufferId buffer_id, std::size_t bytes) {
  const auto found = buffers_.find(buffer_id);
  if (found == buffers_.end() || found->second.extent.matrices || bytes > found->second.extent.most)
    return Status(ErrorCode::kInvalidArgument, "The buffer was not reserved for so many bytes.");
  Buffer& buffer = found->second;
  if (bytes <= buffer.extent.usable) return Status();
  if (buffer.memory == nil || bytes > buffer.memory.length) {
    // Twice what there was, so that a growing buffer moves seldom; the system gives memory to what is written
    // alone.
    const auto usable = static_cast<std::size_t>(buffer.extent.usable);
    const std::size_t roomy =
        std::min(static_cast<std::size_t>(buffer.extent.most), std::max(bytes, 2 * usable));
    id<MTLBuffer> memory = [device_ newBufferWithLength:roomy options:MTLResourceStorageModeShared];
    if (memory == nil) memory = [device_ newBufferWithLength:bytes options:MTLResourceStorageModeShared];
    if (memory == nil) return no_memory(bytes);
    memory.label = kPoolLabel;
    std::uint8_t* moved = contents_of(memory);
    if (usable > 0) std::memcpy(moved, buffer.bytes, usable);
    buffer.memory = memory;
    buffer.bytes = moved;
  }
  std::memset(buffer.bytes + buffer.extent.usable, 0, bytes - buffer.extent.usable);
  buffer.extent.usable = bytes;
  return Status();
}

id<MTLBuffer> Buffers::map_without_copy(std::span<const MatrixSource> sources,
                                        std::span<const std::uint8_t> mapping,
                                        const std::uint8_t** base) const {
  // Metal takes whole pages, and those of a mapping alone: memory of malloc shares its pages with strangers.
  const bool begins_a_page = reinterpret_cast<std::uintptr_t>(mapping.data()) % page_bytes() == 0;
  const bool usable =
      begins_a_page && std::all_of(sources.begin(), sources.end(), [&](const MatrixSource& source) {
        return reinterpret_cast<std::uintptr_t>(source.data.data()) % kMatrixAlignment == 0 &&
               lies_in(source.data, mapping);
      });
  if (!usable) return nil;
  const std::span<const std::uint8_t> pages = pages_of(sources);
  if (pages.size() > device_.maxBufferLength) return nil;
  *base = pages.data();
  // Nothing writes through it: Buffers refuses to, and kernels read weights as constants.
  return [device_ newBufferWithBytesNoCopy:const_cast<std::uint8_t*>(pages.data())
                                    length:pages.size()
                                   options:MTLResourceStorageModeShared
                               deallocator:nil];
}

Result<LoadedMatrices> Buffers::load_matrices(std::span<const MatrixSource> sources,
                                              const MatrixLoading& loading) {
  std::uint64_t copied_bytes = 0;
  for (const MatrixSource& source : sources) {
    const std::uint64_t bytes = matrix_bytes(source);
    if (bytes == 0 || bytes > source.data.size())
      return Status(ErrorCode::kInvalidArgument, "A weight matrix is shorter than its shape.");
    copied_bytes += round_up(static_cast<std::size_t>(bytes), kCopyAlignment);
  }
  if (sources.empty()) return Status(ErrorCode::kInvalidArgument, "There are no weight matrices to load.");

  LoadedMatrices loaded;
  const std::uint8_t* base = nullptr;
  id<MTLBuffer> memory = map_without_copy(sources, loading.mapping, &base);
  if (memory != nil) {
    loaded.keeps_sources = true;
    for (const MatrixSource& source : sources)
      loaded.offsets.push_back(static_cast<std::uint64_t>(source.data.data() - base));
  } else {
    memory = new_memory(static_cast<std::size_t>(copied_bytes));
    if (memory == nil) return no_memory(static_cast<std::size_t>(copied_bytes));
    std::size_t offset = 0;
    for (const MatrixSource& source : sources) {
      const auto bytes = static_cast<std::size_t>(matrix_bytes(source));
      std::memcpy(contents_of(memory) + offset, source.data.data(), bytes);
      loaded.offsets.push_back(offset);
      offset += round_up(bytes, kCopyAlignment);
      if (loading.consumed) loading.consumed(source.data);
    }
  }
  const std::uint64_t length = memory.length;
  TRY_VALUE(loaded.buffer, add(memory, {length, length, true}, @"matrices"));
  // What comes from no file are the self-test's matrices, which are soon gone again.
  if (!loading.mapping.empty() || loading.consumed) residency_.add(memory);
  return loaded;
}

void Buffers::release(BufferId buffer_id) {
  const auto found = buffers_.find(buffer_id);
  if (found == buffers_.end()) return;
  if (found->second.extent.matrices) residency_.remove(found->second.memory);
  buffers_.erase(found);
}

Status Buffers::write(BufferId buffer_id, std::size_t offset, const void* data, std::size_t bytes) {
  TRY(check_write(extent(buffer_id), offset, bytes));
  if (bytes > 0) std::memcpy(bytes_of(buffer_id) + offset, data, bytes);
  return Status();
}

Status Buffers::read(BufferId buffer_id, std::size_t offset, void* data, std::size_t bytes) const {
  TRY(check_read(extent(buffer_id), offset, bytes));
  if (bytes > 0) std::memcpy(data, bytes_of(buffer_id) + offset, bytes);
  return Status();
}

Status Buffers::copy(BufferId from, std::size_t from_offset, BufferId to, std::size_t to_offset,
                     std::size_t bytes) {
  TRY(check_copy(*this, {from, from_offset}, {to, to_offset}, bytes));
  if (bytes > 0) std::memcpy(bytes_of(to) + to_offset, bytes_of(from) + from_offset, bytes);
  return Status();
}

id<MTLBuffer> Buffers::memory(BufferId buffer_id) const {
  const auto found = buffers_.find(buffer_id);
  return found == buffers_.end() ? nil : found->second.memory;
}

BufferExtent Buffers::extent(BufferId buffer_id) const {
  const auto found = buffers_.find(buffer_id);
  return found == buffers_.end() ? BufferExtent{} : found->second.extent;
}

std::uint32_t Buffers::word(BufferId buffer_id, std::uint64_t offset) const {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes_of(buffer_id) + offset, sizeof(word));
  return word;
}

}  // namespace emberline::metal
