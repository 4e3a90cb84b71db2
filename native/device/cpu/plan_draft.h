// A plan in the making, and the functions that add the commands of a dispatch table to it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/cpu/bound_command.h"
#include "device/cpu/plan.h"
#include "device/cpu/stages/attention_stages.h"
#include "device/cpu/stages/stages.h"

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

// Adds the stages of a command that has been checked, for batches of up to draft.rows rows.
void add_command(const Command& command, const BufferTable& buffers, PlanDraft& draft);

// The same of a command with such parameters.

// plan_rows.cpp: what works on each row for itself.
void add_stages(const BoundCommand& command, const EmbeddingParams& params, PlanDraft& draft);
void add_stages(const BoundCommand& command, const RmsNormParams& params, PlanDraft& draft);
void add_stages(const BoundCommand& command, const GatedUnitParams& params, PlanDraft& draft);
void add_stages(const BoundCommand& command, const SoftCapParams& params, PlanDraft& draft);

// plan_products.cpp: products with weights, and argmax, which may come with one.
void add_stages(const BoundCommand& command, const MatMulParams& params, PlanDraft& draft);
void add_stages(const BoundCommand& command, const NormMatMulParams& params, PlanDraft& draft);
void add_stages(const BoundCommand& command, const NormQkvParams& params, PlanDraft& draft);
void add_stages(const BoundCommand& command, const NormGateUpParams& params, PlanDraft& draft);
void add_stages(const BoundCommand& command, const ArgmaxParams& params, PlanDraft& draft);
void add_stages(const BoundCommand& command, const NormArgmaxParams& params, PlanDraft& draft);

// plan_products.cpp: the matrix at `slot`, [out, width]; without an output.
Product product_at(const BoundCommand& command, int slot, std::uint32_t type_id, std::uint32_t out,
                   std::uint32_t width, const Kernels& kernels);

// plan_experts.cpp
void add_stages(const BoundCommand& command, const ExpertsParams& params, PlanDraft& draft);

// plan_attention.cpp: rotary embedding, the KV cache and attention.
void add_stages(const BoundCommand& command, const RopeKvWriteParams& params, PlanDraft& draft);
void add_stages(const BoundCommand& command, const AttentionParams& params, PlanDraft& draft);
void add_stages(const BoundCommand& command, const RopeAttentionParams& params, PlanDraft& draft);

}  // namespace emberline
