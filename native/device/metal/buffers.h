// The device's memory, all of it shared with the processor. Objective-C++.
#pragma once

#import <Metal/Metal.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "base/status.h"
#include "device/checks/command_check.h"
#include "device/device.h"
#include "device/metal/lowering.h"
#include "device/metal/residency.h"
#include "device/metal/source_check.h"

namespace emberline::metal {

class Buffers final : public BufferExtents, public HostWords {
 public:
  // queue: whose submissions find the weights resident.
  Buffers(id<MTLDevice> device, id<MTLCommandQueue> queue) : device_(device), residency_(device, queue) {}

  // As Device's functions of these names.
  Result<BufferId> allocate(std::size_t bytes);
  Result<LoadedMatrices> load_matrices(std::span<const MatrixSource> sources, const MatrixLoading& loading);
  Result<BufferId> reserve(std::size_t most);
  Status grow(BufferId buffer_id, std::size_t bytes);
  Status write(BufferId buffer_id, std::size_t offset, const void* data, std::size_t bytes);
  Status read(BufferId buffer_id, std::size_t offset, void* data, std::size_t bytes) const;
  Status copy(BufferId from, std::size_t from_offset, BufferId to, std::size_t to_offset, std::size_t bytes);
  void release(BufferId buffer_id);

  // Whether growing to `bytes` moves the buffer to other memory: the GPU must not be using it then.
  bool moves(BufferId buffer_id, std::size_t bytes) const;
  // nil where there is no such buffer, or nothing of it is usable yet.
  id<MTLBuffer> memory(BufferId buffer_id) const;

  BufferExtent extent(BufferId buffer_id) const override;
  std::uint32_t word(BufferId buffer_id, std::uint64_t offset) const override;

 private:
  struct Buffer {
    id<MTLBuffer> memory = nil;
    BufferExtent extent;
    std::uint8_t* bytes = nullptr;  // the memory's contents
  };

  Result<BufferId> add(id<MTLBuffer> memory, const BufferExtent& extent, NSString* label);
  // Zero-filled, or nil.
  id<MTLBuffer> new_memory(std::size_t bytes) const;
  id<MTLBuffer> map_without_copy(std::span<const MatrixSource> sources, std::span<const std::uint8_t> mapping,
                                 const std::uint8_t** base) const;
  std::uint8_t* bytes_of(BufferId buffer_id) const { return buffers_.find(buffer_id)->second.bytes; }

  id<MTLDevice> device_;
  std::map<BufferId, Buffer> buffers_;
  BufferId next_id_ = 1;
  Residency residency_;
};

}  // namespace emberline::metal
