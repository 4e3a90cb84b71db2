#include "device/cpu/plan.h"

#include <iterator>
#include <new>

#include "base/try.h"
#include "device/cpu/plan_draft.h"

namespace emberline {
namespace {

Result<Plan> compile_commands(const DispatchTable& table, const BufferTable& buffers, const Kernels& kernels,
                              const DeviceRules& rules) {
  PlanDraft draft{kernels, table.max_rows};
  Plan& plan = draft.plan;
  TRY_VALUE(plan.limits, check_table(table, buffers, rules));
  plan.needs.max_rows = table.max_rows;
  for (const Command& command : table.commands) {
    add_command(BoundCommand(command, buffers), draft);
    for (const Binding& binding : command.bindings) {
      if (binding.buffer != kNoBuffer) plan.buffers.push_back(binding.buffer);
    }
  }
  // Angles come first: the stages of a step read them.
  plan.stages.insert(plan.stages.begin(), std::make_move_iterator(draft.angles.begin()),
                     std::make_move_iterator(draft.angles.end()));
  return std::move(plan);
}

}  // namespace

void add_command(const BoundCommand& command, PlanDraft& draft) {
  switch (command.op()) {
    case Op::kEmbedding: return add_embedding(command, draft);
    case Op::kRmsNorm: return add_rms_norm(command, draft);
    case Op::kMatMul: return add_mat_mul(command, draft);
    case Op::kRopeKvWrite: return add_rope_kv_write(command, draft);
    case Op::kAttention: return add_attention(command, draft);
    case Op::kGatedUnit: return add_gated_unit(command, draft);
    case Op::kArgmax: return add_argmax(command, draft);
    case Op::kNormQkv: return add_norm_qkv(command, draft);
    case Op::kNormGateUp: return add_norm_gate_up(command, draft);
    case Op::kNormMatMul: return add_norm_mat_mul(command, draft);
    case Op::kNormArgmax: return add_norm_argmax(command, draft);
    case Op::kRopeAttention: return add_rope_attention(command, draft);
    case Op::kNormQkvRope:
    case Op::kGumbel: return;  // not offered: refused by the check
  }
}

Result<Plan> compile_plan(const DispatchTable& table, const BufferTable& buffers, const Kernels& kernels,
                          const DeviceRules& rules) {
  try {
    return compile_commands(table, buffers, kernels, rules);
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kOutOfMemory, "There is no memory to prepare the model for this device.");
  }
}

}  // namespace emberline
