// A dispatch table compiled for the CPU: checked against the buffers once, resolved to pointers and stages.
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "device/checked_parameters.h"
#include "device/cpu/stage.h"

namespace emberline {

struct BufferView {
  std::uint8_t* data = nullptr;  // null: no such buffer
  std::size_t bytes = 0;         // usable; may grow
  bool writable = false;
  bool packed = false;                  // matrices in the device's own layout, to be read as weights alone
  std::size_t most = 0;                 // what `bytes` may grow to
  const std::size_t* usable = nullptr;  // `bytes` as it grows; valid as long as the buffer
};

struct Plan {
  std::vector<std::unique_ptr<Stage>> stages;  // the last one is never replicated
  std::vector<BufferId> buffers;               // used by the stages
  ScratchNeeds needs;
  bool has_argmax = false;
  // What replays of this plan must keep to, apart from rows <= needs.max_rows:
  // position + rows + steps - 1 <= position_limit.
  std::uint64_t position_limit = kMaxExtent;
};

// Every binding, parameter, patch and size of `table` is checked for batches of up to table.max_rows rows.
// `view` gives the memory behind a buffer id. INVALID_ARGUMENT names the first command that is wrong.
class BufferTable {
 public:
  virtual ~BufferTable() = default;
  virtual BufferView view(BufferId id) const = 0;
};
Result<Plan> compile_plan(const DispatchTable& table, const BufferTable& buffers, const Kernels& kernels,
                          bool fused);

}  // namespace emberline
