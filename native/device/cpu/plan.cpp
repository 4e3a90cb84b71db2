#include "device/cpu/plan.h"

#include <iterator>
#include <new>
#include <string>

#include "device/cpu/plan_draft.h"

namespace emberline {
namespace {

using AddCommand = void (*)(CheckedCommand&, PlanDraft&);

void refuse_op(CheckedCommand& command, PlanDraft&) {
  command.fail("this device does not offer the op");
}

void refuse_unknown_op(CheckedCommand& command, PlanDraft&) {
  command.fail("there is no such op");
}

AddCommand adder_of(Op op, bool fused) {
  switch (op) {
    case Op::kEmbedding: return add_embedding;
    case Op::kRmsNorm: return add_rms_norm;
    case Op::kMatMul: return add_mat_mul;
    case Op::kRopeKvWrite: return add_rope_kv_write;
    case Op::kAttention: return add_attention;
    case Op::kGatedUnit: return add_gated_unit;
    case Op::kArgmax: return add_argmax;
    case Op::kNormQkv: return fused ? add_norm_qkv : refuse_op;
    case Op::kNormGateUp: return fused ? add_norm_gate_up : refuse_op;
    case Op::kNormMatMul: return fused ? add_norm_mat_mul : refuse_op;
    case Op::kNormArgmax: return fused ? add_norm_argmax : refuse_op;
    case Op::kRopeAttention: return fused ? add_rope_attention : refuse_op;
    case Op::kNormQkvRope:
    case Op::kGumbel: return refuse_op;
  }
  return refuse_unknown_op;
}

Status wrong_command(const DispatchTable& table, std::size_t index, const char* problem) {
  const std::string label = index < table.labels.size() ? " (" + table.labels[index] + ")" : "";
  return Status(ErrorCode::kInvalidArgument, "Command " + std::to_string(index) + label + ", " +
                                                 op_name(table.commands[index].op) + ": " + problem + ".");
}

Result<Plan> compile_commands(const DispatchTable& table, const BufferTable& buffers, const Kernels& kernels,
                              bool fused) {
  if (table.commands.empty())
    return Status(ErrorCode::kInvalidArgument, "The dispatch table has no commands.");
  if (table.max_rows < 1 || table.max_rows > kMaxBatchRows) {
    return Status(ErrorCode::kInvalidArgument, "A dispatch table's batch must have 1 to 4096 rows.");
  }
  PlanDraft draft{kernels, table.max_rows};
  Plan& plan = draft.plan;
  plan.needs.max_rows = table.max_rows;
  for (std::size_t i = 0; i < table.commands.size(); ++i) {
    CheckedCommand command(table.commands[i], buffers, plan.buffers);
    add_command(command, draft, fused);
    if (!command.ok()) return wrong_command(table, i, command.problem());
  }
  // Angles come first: the stages of a step read them.
  plan.stages.insert(plan.stages.begin(), std::make_move_iterator(draft.angles.begin()),
                     std::make_move_iterator(draft.angles.end()));
  return std::move(plan);
}

}  // namespace

void add_command(CheckedCommand& command, PlanDraft& draft, bool fused) {
  adder_of(command.op(), fused)(command, draft);
}

Result<Plan> compile_plan(const DispatchTable& table, const BufferTable& buffers, const Kernels& kernels,
                          bool fused) {
  try {
    return compile_commands(table, buffers, kernels, fused);
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kOutOfMemory, "There is no memory to prepare the model for this device.");
  }
}

}  // namespace emberline
