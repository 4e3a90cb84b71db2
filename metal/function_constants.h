// Function constants: what a pipeline is specialised by. Each is declared once, here, for all kernels; the
// host sets them by index when it makes a pipeline.
#pragma once

#if defined(__METAL_VERSION__)
#include <metal_stdlib>

// The command belongs to a chain: it does nothing once ChainState::halted is set (chain_guard.h).
constant bool CHAINED [[function_constant(0)]];
// Halting a chain also zeroes the grids of its commands, which are dispatched indirectly (chain_guard.h).
constant bool INDIRECT [[function_constant(1)]];
// Rows a mat_vec pipeline has registers and threadgroup memory for: 1, 2, 4, 8 or 16.
constant uint ROW_CAPACITY [[function_constant(2)]];
// The optional bias buffers are bound.
constant bool HAS_BIAS [[function_constant(3)]];
// Elements of an attention head: what attention_knows_width says (launch_shapes.h).
constant uint HEAD_WIDTH [[function_constant(4)]];
// Query heads that share a key and value head.
constant uint HEADS_PER_KV [[function_constant(5)]];
// The logits of an argmax are the sampler's scores; the optional raw logits and normalizer are bound.
constant bool HAS_RAW_LOGITS [[function_constant(6)]];
// The activation of a gated linear unit: a kGate... of op_params.h.
constant uint GATE_ACTIVATION [[function_constant(7)]];
// The factors by which the angles of a rotation are divided are bound.
constant bool HAS_ROPE_FACTORS [[function_constant(8)]];
// Scores of attention are capped, by AttentionParams::soft_cap.
constant bool HAS_SCORE_CAP [[function_constant(9)]];
// Something is added to the residual stream: in front of a norm, what is normed itself before (mat_vec.h);
// behind one, to what is bound and not to the output (rms_norm).
constant bool HAS_ADDED [[function_constant(10)]];

#else
#include <cstdint>

namespace emberline {

inline constexpr std::uint32_t kConstantChained = 0;         // bool
inline constexpr std::uint32_t kConstantIndirect = 1;        // bool
inline constexpr std::uint32_t kConstantRowCapacity = 2;     // uint
inline constexpr std::uint32_t kConstantHasBias = 3;         // bool
inline constexpr std::uint32_t kConstantHeadWidth = 4;       // uint
inline constexpr std::uint32_t kConstantHeadsPerKv = 5;      // uint
inline constexpr std::uint32_t kConstantHasRawLogits = 6;    // bool
inline constexpr std::uint32_t kConstantGateActivation = 7;  // uint
inline constexpr std::uint32_t kConstantHasRopeFactors = 8;  // bool
inline constexpr std::uint32_t kConstantHasScoreCap = 9;     // bool
inline constexpr std::uint32_t kConstantHasAdded = 10;       // bool

}  // namespace emberline
#endif
