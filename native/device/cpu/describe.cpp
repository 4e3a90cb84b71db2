#include "device/cpu/describe.h"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "device/cpu/plan_draft.h"

namespace emberline {
namespace {

std::size_t most_units(const Plan& plan, std::uint32_t rows) {
  Step step;
  step.rows = rows;
  std::size_t most = 0;
  for (const std::unique_ptr<Stage>& stage : plan.stages) most = std::max(most, stage->units(step));
  return most;
}

}  // namespace

std::vector<DispatchDescription> describe_commands(const DispatchTable& table, std::uint32_t rows,
                                                   const BufferTable& buffers, const Kernels& kernels,
                                                   const DeviceRules& rules) {
  std::vector<DispatchDescription> dispatches;
  for (std::size_t i = 0; i < table.commands.size(); ++i) {
    const Command& command = table.commands[i];
    PlanDraft draft{kernels, rows};
    add_command(command, buffers, draft);
    DispatchDescription& dispatch = dispatches.emplace_back();
    dispatch.label = table.label(i);
    dispatch.kernel = op_name(command.op);
    dispatch.threadgroups = {static_cast<std::uint32_t>(most_units(draft.plan, rows)), 1, 1};
    dispatch.threads = 1;
    dispatch.patch = command.patch;
    dispatch.traffic = check_command(command, rows, buffers, rules).traffic;
  }
  return dispatches;
}

}  // namespace emberline
