// A dispatch table as the CPU runs it, for people and for counting.
#pragma once

#include <cstdint>
#include <vector>

#include "device/cpu/plan.h"
#include "device/device.h"

namespace emberline {

// One entry a command for a batch of `rows` rows at position 0; its pieces of work are those of the stage
// that has most. The other arguments as for compile_plan(), which has taken `table`.
std::vector<DispatchDescription> describe_commands(const DispatchTable& table, std::uint32_t rows,
                                                   const BufferTable& buffers, const Kernels& kernels,
                                                   const DeviceRules& rules);

}  // namespace emberline
