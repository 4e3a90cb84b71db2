// A dispatch table compiled for the CPU: checked against the buffers once, resolved to pointers and stages.
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "device/checks/command_check.h"
#include "device/cpu/stage.h"

namespace emberline {

struct BufferView {
  std::uint8_t* data = nullptr;  // null: no such buffer
  BufferExtent extent;
  const std::uint64_t* usable = nullptr;  // its usable bytes as they grow; valid as long as the buffer
};

// The memory behind a buffer id.
class BufferTable : public BufferExtents {
 public:
  virtual BufferView view(BufferId id) const = 0;
  BufferExtent extent(BufferId id) const final { return view(id).extent; }
};

DeviceRules cpu_rules(bool fused);  // as CpuDeviceOptions

struct Plan {
  std::vector<std::unique_ptr<Stage>> stages;  // the last one is never replicated
  std::vector<BufferId> buffers;               // used by the stages
  ScratchNeeds needs;
  bool has_argmax = false;
  ReplayLimits limits;  // of these, what tokens and pages are is seen by the stages that read them
};

// Every binding, parameter, patch and size of `table` is checked for batches of up to table.max_rows rows.
// INVALID_ARGUMENT names the first command that is wrong.
Result<Plan> compile_plan(const DispatchTable& table, const BufferTable& buffers, const Kernels& kernels,
                          const DeviceRules& rules);

}  // namespace emberline
