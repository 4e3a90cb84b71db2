// A plan in the making, and the functions that add the commands of a dispatch table to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/cpu/checked_command.h"
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
  void limit_positions(std::uint64_t end) { plan.position_limit = std::min(plan.position_limit, end); }
};

// Adds the stages of a command; `fused` as CpuDeviceOptions. Where a check fails, command.ok() is false
// afterwards and the draft is of no more use.
void add_command(CheckedCommand& command, PlanDraft& draft, bool fused);

// Each adds the stages of a command of its op, for batches of up to draft.rows rows.

// plan_rows.cpp: what works on each row for itself.
void add_embedding(CheckedCommand& command, PlanDraft& draft);
void add_rms_norm(CheckedCommand& command, PlanDraft& draft);
// For a kGate... of op_params.h, which has been checked.
inline GateKernel gate_kernel(const Kernels& kernels, std::uint32_t activation) {
  return activation == kGateGeluTanh ? kernels.gelu_mul : kernels.silu_mul;
}
void add_gated_unit(CheckedCommand& command, PlanDraft& draft);

// plan_products.cpp: products with weights, and argmax, which may come with one.
void add_mat_mul(CheckedCommand& command, PlanDraft& draft);
void add_norm_mat_mul(CheckedCommand& command, PlanDraft& draft);
void add_norm_qkv(CheckedCommand& command, PlanDraft& draft);
void add_norm_gate_up(CheckedCommand& command, PlanDraft& draft);
void add_argmax(CheckedCommand& command, PlanDraft& draft);
void add_norm_argmax(CheckedCommand& command, PlanDraft& draft);

// plan_attention.cpp: rotary embedding, the KV cache and attention.
void add_rope_kv_write(CheckedCommand& command, PlanDraft& draft);
void add_attention(CheckedCommand& command, PlanDraft& draft);
void add_rope_attention(CheckedCommand& command, PlanDraft& draft);

}  // namespace emberline
