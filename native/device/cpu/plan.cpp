#include "device/cpu/plan.h"

#include <iterator>

#include "base/try.h"
#include "device/cpu/plan_draft.h"
#include "device/visit_params.h"

namespace emberline {
namespace {

// Of an op that the device does not offer: refused by the checks.
template <typename Params>
void add_stages(const BoundCommand&, const Params&, PlanDraft&) {}

}  // namespace

void add_command(const Command& command, const BufferTable& buffers, PlanDraft& draft) {
  visit_params(command, [&](const auto& params) { add_stages({command, buffers}, params, draft); });
}

Result<Plan> compile_plan(const DispatchTable& table, const BufferTable& buffers, const Kernels& kernels,
                          const DeviceRules& rules) {
  PlanDraft draft{kernels, table.max_rows};
  Plan& plan = draft.plan;
  TRY_VALUE(plan.limits, check_table(table, buffers, rules));
  plan.needs.max_rows = table.max_rows;
  for (const Command& command : table.commands) {
    add_command(command, buffers, draft);
    for (const Binding& binding : command.bindings) {
      if (binding.buffer != kNoBuffer) plan.buffers.push_back(binding.buffer);
    }
  }
  // Angles come first: the stages of a step read them.
  plan.stages.insert(plan.stages.begin(), std::make_move_iterator(draft.angles.begin()),
                     std::make_move_iterator(draft.angles.end()));
  return std::move(plan);
}

}  // namespace emberline
