// A dispatch table as the GPU runs it, for people and for counting.
#pragma once

#include <vector>

#include "device/checks/command_check.h"
#include "device/device.h"

namespace emberline::metal {

// One entry a dispatch of a batch of `rows` rows. `table` has been prepared.
std::vector<DispatchDescription> describe(const DispatchTable& table, std::uint32_t rows,
                                          const BufferExtents& buffers, const DeviceRules& rules);

}  // namespace emberline::metal
