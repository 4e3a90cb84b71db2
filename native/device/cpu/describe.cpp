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
                                                   bool fused) {
  std::vector<DispatchDescription> dispatches;
  for (std::size_t i = 0; i < table.commands.size(); ++i) {
    PlanDraft draft{kernels, rows};
    CheckedCommand command(table.commands[i], buffers, draft.plan.buffers);
    add_command(command, draft, fused);
    DispatchDescription& dispatch = dispatches.emplace_back();
    dispatch.label = i < table.labels.size() ? table.labels[i] : op_name(command.op());
    dispatch.kernel = op_name(command.op());
    dispatch.threadgroups = {static_cast<std::uint32_t>(most_units(draft.plan, rows)), 1, 1};
    dispatch.threads = 1;
    dispatch.patch = table.commands[i].patch;
    dispatch.traffic = command.traffic();
  }
  return dispatches;
}

}  // namespace emberline
