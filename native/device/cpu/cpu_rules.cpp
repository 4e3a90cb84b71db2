// What the CPU device adds to the rules of commands.
#include "device/cpu/packed/packed_matrix.h"
#include "device/cpu/plan.h"

namespace emberline {
namespace {

// The first is no fusion of others.
constexpr Op kOps[] = {Op::kExperts,    Op::kNormQkv,    Op::kNormGateUp,
                       Op::kNormMatMul, Op::kNormArgmax, Op::kRopeAttention};

// Rows that only fill the last panel are read, too.
MatrixExtent packed_extent(TensorType type, std::uint32_t rows, std::uint32_t width) {
  const MatrixShape shape{type, rows, width};
  return {shape.packed_bytes(), shape.panel_bytes() / kPanelRows};
}

const char* refuse(const Command& command) {
  if (command.op == Op::kExperts) {
    // A panel holds rows of one expert alone.
    const auto p = command.get_params<ExpertsParams>();
    return p.width % kPanelRows != 0 || p.hidden % kPanelRows != 0
               ? "the width of an expert is no multiple of 16"
               : nullptr;
  }
  const bool sampled =
      command.op == Op::kArgmax && command.bindings[slot::Argmax::kRawLogits].buffer != kNoBuffer;
  return sampled ? "scores of a sampler are not offered" : nullptr;
}

}  // namespace

DeviceRules cpu_rules(bool fused) {
  const std::span<const Op> ops(kOps);
  return {fused ? ops : ops.first(1), packed_extent, refuse};
}

}  // namespace emberline
