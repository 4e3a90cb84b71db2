// A plan in the making, and the functions that add the commands of a dispatch table to it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/cpu/bound_command.h"
#include "device/cpu/plan.h"
#include "device/cpu/stages/attention_stages.h"

namespace emberline {

struct PlanDraft {
  const Kernels& kernels;
  std::uint64_t rows;  // of the largest batch
  Plan plan{};
  std::vector<std::unique_ptr<RopeAngleStage>> angles{};  // to run before the plan's other stages

  template <typename T>
  T& add_stage() {
    plan.stages.push_back(std::make_unique<T>());
    return static_cast<T&>(*plan.stages.back());
  }
};

// Adds the stages of a command that has been checked.
void add_command(const BoundCommand& command, PlanDraft& draft);

// Each adds the stages of a command of its op, for batches of up to draft.rows rows.

// plan_rows.cpp: what works on each row for itself.
void add_embedding(const BoundCommand& command, PlanDraft& draft);
void add_rms_norm(const BoundCommand& command, PlanDraft& draft);
// For a kGate... of op_params.h, which has been checked.
inline GateKernel gate_kernel(const Kernels& kernels, std::uint32_t activation) {
  return activation == kGateGeluTanh ? kernels.gelu_mul : kernels.silu_mul;
}
void add_gated_unit(const BoundCommand& command, PlanDraft& draft);

// plan_products.cpp: products with weights, and argmax, which may come with one.
void add_mat_mul(const BoundCommand& command, PlanDraft& draft);
void add_norm_mat_mul(const BoundCommand& command, PlanDraft& draft);
void add_norm_qkv(const BoundCommand& command, PlanDraft& draft);
void add_norm_gate_up(const BoundCommand& command, PlanDraft& draft);
void add_argmax(const BoundCommand& command, PlanDraft& draft);
void add_norm_argmax(const BoundCommand& command, PlanDraft& draft);

// plan_attention.cpp: rotary embedding, the KV cache and attention.
void add_rope_kv_write(const BoundCommand& command, PlanDraft& draft);
void add_attention(const BoundCommand& command, PlanDraft& draft);
void add_rope_attention(const BoundCommand& command, PlanDraft& draft);

}  // namespace emberline
