// What the CPU device adds to the rules of commands.
#include "device/cpu/packed/packed_matrix.h"
#include "device/cpu/plan.h"

namespace emberline {
namespace {

constexpr Op kFusedOps[] = {Op::kNormQkv, Op::kNormGateUp, Op::kNormMatMul, Op::kNormArgmax,
                            Op::kRopeAttention};

// Rows that only fill the last panel are read, too.
MatrixExtent packed_extent(TensorType type, std::uint32_t rows, std::uint32_t width) {
  const MatrixShape shape{type, rows, width};
  return {shape.packed_bytes(), shape.panel_bytes() / kPanelRows};
}

const char* refuse(const Command& command) {
  const bool sampled =
      command.op == Op::kArgmax && command.bindings[slot::Argmax::kRawLogits].buffer != kNoBuffer;
  return sampled ? "scores of a sampler are not offered" : nullptr;
}

}  // namespace

DeviceRules cpu_rules(bool fused) {
  return {fused ? std::span<const Op>(kFusedOps) : std::span<const Op>(), packed_extent, refuse};
}

}  // namespace emberline
