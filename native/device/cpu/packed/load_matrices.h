// Packs the weight matrices of a model, on all threads of a pool.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "device/cpu/aligned_memory.h"
#include "device/device.h"

namespace emberline {

struct PackedMatrices {
  AlignedMemory memory;
  std::vector<std::uint64_t> offsets;  // of each matrix, multiples of 64
};

// As Device::load_matrices.
Result<PackedMatrices> pack_matrices(std::span<const MatrixSource> sources, const SourceConsumed& consumed,
                                     ThreadPool& pool);

}  // namespace emberline
