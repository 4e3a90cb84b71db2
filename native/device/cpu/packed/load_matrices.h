// Packs the weight matrices of a model, on all threads of a pool, or maps the copy that an earlier load left.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/status.h"
#include "base/thread_pool.h"
#include "device/cpu/aligned_memory.h"
#include "device/cpu/packed/packed_copy.h"
#include "device/device.h"

namespace emberline {

// In memory, or behind the header of a mapped copy; then `memory` is empty.
struct PackedMatrices {
  PackedLayout layout;
  AlignedMemory memory;
  MappedFile copy;
  std::unique_ptr<PackedCopyWriter> writer;  // reads `memory`

  bool from_copy() const { return memory.data() == nullptr; }
  const std::uint8_t* data() const {
    return from_copy() ? copy.bytes().data() + kPackedCopyHeaderBytes : memory.data();
  }
};

// As Device::load_matrices.
Result<PackedMatrices> load_packed(std::span<const MatrixSource> sources, const MatrixLoading& loading,
                                   ThreadPool& pool);

}  // namespace emberline
