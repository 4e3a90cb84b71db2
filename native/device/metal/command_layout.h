// How many slots a command of each op has, and how long its parameter block is.
#pragma once

#include <cstdint>

#include "device/ops.h"

namespace emberline::metal {

struct CommandLayout {
  int slots;
  std::uint32_t param_bytes;
};

template <typename Params>
constexpr CommandLayout layout(int last_slot) {
  return {last_slot + 1, static_cast<std::uint32_t>(sizeof(Params))};
}

// {0, 0} for an op that this device does not offer.
constexpr CommandLayout command_layout(Op op) {
  switch (op) {
    case Op::kEmbedding: return layout<EmbeddingParams>(slot::Embedding::kOut);
    case Op::kRmsNorm: return layout<RmsNormParams>(slot::RmsNorm::kOut);
    case Op::kMatMul: return layout<MatMulParams>(slot::MatMul::kY);
    case Op::kRopeKvWrite: return layout<RopeKvWriteParams>(slot::RopeKvWrite::kPages);
    case Op::kAttention: return layout<AttentionParams>(slot::Attention::kOut);
    case Op::kGatedUnit: return layout<GatedUnitParams>(slot::GatedUnit::kOut);
    case Op::kArgmax: return layout<ArgmaxParams>(slot::Argmax::kNormalizer);
    case Op::kNormGateUp: return layout<NormGateUpParams>(slot::NormGateUp::kOut);
    case Op::kNormMatMul: return layout<NormMatMulParams>(slot::NormMatMul::kY);
    case Op::kNormQkvRope: return layout<NormQkvRopeParams>(slot::NormQkvRope::kPages);
    case Op::kGumbel: return layout<GumbelParams>(slot::Gumbel::kNormalizer);
    case Op::kNormQkv:
    case Op::kNormArgmax:
    case Op::kRopeAttention: break;
  }
  return {0, 0};
}

}  // namespace emberline::metal
