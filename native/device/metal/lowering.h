// Fused commands as basic ones, where there is no fused kernel: for batches that are too large, and for
// matrices whose types are not met together: a gate and an up matrix of different types, and most pairs of
// types of queries, keys and values.
//
// Fusing saves dispatches and re-reads of one row; with many rows a product is a matrix product, which the
// parts are better off with as commands of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "device/dispatch_table.h"
#include "device/metal/row_class.h"

namespace emberline::metal {

// The device's own memory for what the parts of a fused command hand on; it grows.
inline constexpr BufferId kScratchBuffer = 0xFFFFFFFEu;

struct Lowered {
  std::vector<Command> commands;
  std::uint64_t scratch_bytes = 0;  // of kScratchBuffer
};

// The commands that compute what `command`, which has been checked, says, for batches of up to `max_rows`
// rows.
Lowered lower(const Command& command, RowClass rows, std::uint32_t max_rows);

}  // namespace emberline::metal
