// The parts of the self-test: one op each, on small inputs, against plain loops. DEVICE_UNAVAILABLE says what
// is wrong; also what the device itself returns.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "device/device.h"

namespace emberline::metal {

inline constexpr float kTestEpsilon = 1e-5f;

inline std::uint32_t id_of(TensorType type) {
  return static_cast<std::uint32_t>(type);
}

Status test_embedding(Device& device, TensorType type);
Status test_product(Device& device, TensorType type, std::uint32_t rows, bool biased);
Status test_norm_product(Device& device, TensorType type, std::uint32_t rows);
// kNormGateUp, or kAddNormGateUp where something is `added`.
Status test_gate_up(Device& device, TensorType type, std::uint32_t rows, std::uint32_t activation,
                    bool added);
// kNormQkvRope. `scaled`: positions are.
Status test_qkv(Device& device, QkvTypes types, std::uint32_t rows, bool biased, bool scaled);
// kNormQkv, or kAddNormQkv where something is `added`.
Status test_split_qkv(Device& device, QkvTypes types, std::uint32_t rows, bool biased, bool added);

// kQkNormRope. `whole`: all heads are normed together.
Status test_qk_norm(Device& device, std::uint32_t head_width, bool scaled, bool whole);
// What the attention of models differs in beside their heads.
struct AttentionKind {
  bool window = false, cap = false;
};
Status test_attention(Device& device, std::uint32_t head_width, std::uint32_t heads_per_kv,
                      std::uint32_t rows, AttentionKind kind);

Status test_soft_cap(Device& device);
// A model whose token t is followed by t + 1: the whole of a chain, with the stop set and what is skipped
// behind it.
Status test_chain(Device& device);

}  // namespace emberline::metal
