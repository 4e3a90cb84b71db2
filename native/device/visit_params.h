// The parameter block of a command as what its op says it is.
#pragma once

#include "device/dispatch_table.h"

namespace emberline {

// Calls visit(params) with a copy of the block; not at all where there is no such op.
template <typename Visit>
void visit_params(const Command& command, Visit&& visit) {
  switch (command.op) {
    case Op::kEmbedding: return visit(command.get_params<EmbeddingParams>());
    case Op::kRmsNorm: return visit(command.get_params<RmsNormParams>());
    case Op::kMatMul: return visit(command.get_params<MatMulParams>());
    case Op::kRopeKvWrite: return visit(command.get_params<RopeKvWriteParams>());
    case Op::kAttention: return visit(command.get_params<AttentionParams>());
    case Op::kGatedUnit: return visit(command.get_params<GatedUnitParams>());
    case Op::kArgmax: return visit(command.get_params<ArgmaxParams>());
    case Op::kSoftCap: return visit(command.get_params<SoftCapParams>());
    case Op::kNormQkv: return visit(command.get_params<NormQkvParams>());
    case Op::kNormGateUp: return visit(command.get_params<NormGateUpParams>());
    case Op::kNormMatMul: return visit(command.get_params<NormMatMulParams>());
    case Op::kNormArgmax: return visit(command.get_params<NormArgmaxParams>());
    case Op::kRopeAttention: return visit(command.get_params<RopeAttentionParams>());
    case Op::kNormQkvRope: return visit(command.get_params<NormQkvRopeParams>());
    case Op::kQkNormRope: return visit(command.get_params<QkNormRopeParams>());
    case Op::kAddNormQkv: return visit(command.get_params<AddNormQkvParams>());
    case Op::kAddNormGateUp: return visit(command.get_params<AddNormGateUpParams>());
    case Op::kGumbel: return visit(command.get_params<GumbelParams>());
    case Op::kExperts: return visit(command.get_params<ExpertsParams>());
  }
}

}  // namespace emberline
