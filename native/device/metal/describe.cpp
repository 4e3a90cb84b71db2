#include "device/metal/describe.h"

#include <cstddef>

#include "device/metal/launch.h"
#include "device/metal/lowering.h"
#include "device/metal/scratch_extents.h"

namespace emberline::metal {

std::vector<DispatchDescription> describe(const DispatchTable& table, std::uint32_t rows,
                                          const BufferExtents& buffers, const DeviceRules& rules) {
  std::vector<DispatchDescription> dispatches;
  const WithScratch with_scratch(buffers);
  for (std::size_t i = 0; i < table.commands.size(); ++i) {
    for (const Command& part : lower(table.commands[i], row_class(rows), table.max_rows).commands) {
      const Launch launch = launch_of(part, {row_class(rows), false, false});
      DispatchDescription& dispatch = dispatches.emplace_back();
      dispatch.label = table.label(i);
      dispatch.kernel = launch.kernel.function;
      dispatch.threadgroups = launch.grid.threadgroups(rows);
      dispatch.threads = launch.threads;
      dispatch.patch = part.patch;
      dispatch.traffic = check_command(part, rows, with_scratch, rules).traffic;
    }
  }
  return dispatches;
}

}  // namespace emberline::metal
