// The one checker of commands: what makes a command of each op right on any device is written once
// (op_rules.cpp); what devices differ in is in their DeviceRules.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "device/checks/replay_limits.h"
#include "device/dispatch_table.h"
#include "gguf/tensor_type.h"

namespace emberline {

struct BufferExtent {
  std::uint64_t usable = 0;  // bytes; may grow
  std::uint64_t most = 0;    // what `usable` may grow to; 0: there is no such buffer
  bool matrices = false;     // loaded matrices: to be read as weights alone
};

class BufferExtents {
 public:
  virtual ~BufferExtents() = default;
  virtual BufferExtent extent(BufferId id) const = 0;
};

// A weight matrix as a device keeps it.
struct MatrixExtent {
  std::uint64_t bytes, row_bytes;
};

struct DeviceRules {
  std::span<const Op> fused_ops;  // that it offers beside the basic ones
  // Of a shape whose extents have been checked.
  MatrixExtent (*matrix)(TensorType type, std::uint32_t rows, std::uint32_t width);
  // What this device alone demands of a command that is right on others: null, or what is wrong, to end a
  // sentence with.
  const char* (*refuse)(const Command& command);

  bool offers(Op op) const {
    return is_basic(op) || std::find(fused_ops.begin(), fused_ops.end(), op) != fused_ops.end();
  }
};

// Bytes of a buffer that a command reads or writes.
struct MemoryAccess {
  BufferId buffer;
  std::uint64_t begin, end;
  bool writes;
};

struct CheckedCommand {
  const char* problem = nullptr;       // the first, to end a sentence with; with one the rest means nothing
  std::uint32_t slots = 0;             // a bit for each that is bound
  std::vector<MemoryAccess> accesses;  // where a slot is read and written it is there twice
  CommandTraffic traffic;
  ReplayLimits limits;

  bool ok() const { return problem == nullptr; }
};

// Checks every binding and parameter of `command` for batches of up to `rows` rows.
CheckedCommand check_command(const Command& command, std::uint32_t rows, const BufferExtents& buffers,
                             const DeviceRules& rules);

// Checks all commands of `table`; INVALID_ARGUMENT names the first that is wrong.
Result<ReplayLimits> check_table(const DispatchTable& table, const BufferExtents& buffers,
                                 const DeviceRules& rules);

}  // namespace emberline
