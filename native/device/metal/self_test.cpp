#include "device/metal/self_test.h"

#include "device/metal/row_class.h"
#include "device/metal/self_test_ops.h"

namespace emberline::metal {
namespace {

// One of each class of rows that has kernels of its own (row_class.h), where they leave something over; and
// more than those take.
constexpr std::uint32_t kFew[] = {1, 2, 3, 7, 16};
constexpr std::uint32_t kMany = row_capacity(RowClass::kMany) + 3;

// What the layers of models differ in beside the types of their matrices.
struct LayerKind {
  std::uint32_t activation;
  bool qkv_biases, attention_output_bias, rope_factors;
  bool qk_norms, norms_on_both_sides;
};

Status test_qkv_of(Device& device, QkvTypes types, std::uint32_t rows, const LayerKind& kind) {
  Status status;
  if (!kind.qk_norms && device.offers(Op::kNormQkvRope, rows))
    status = test_qkv(device, types, rows, kind.qkv_biases, kind.rope_factors);
  if (status.ok() && kind.qk_norms && device.offers(Op::kNormQkv, rows))
    status = test_split_qkv(device, types, rows, kind.qkv_biases, false);
  // The first layer's has nothing to add.
  if (status.ok() && kind.norms_on_both_sides && device.offers(Op::kAddNormQkv, rows))
    status = test_split_qkv(device, types, rows, kind.qkv_biases, true);
  return status;
}

Status test_gate_up_of(Device& device, TensorType type, std::uint32_t rows, const LayerKind& kind) {
  const bool added = kind.norms_on_both_sides;
  if (!device.offers(added ? Op::kAddNormGateUp : Op::kNormGateUp, rows)) return {};
  return test_gate_up(device, type, rows, kind.activation, added);
}

// Larger batches are made of products and what test_parts sees.
Status test_fused(Device& device, TensorType type, const LayerKind& kind) {
  Status status;
  for (const std::uint32_t rows : kFew) {
    if (status.ok()) status = test_gate_up_of(device, type, rows, kind);
    if (status.ok()) status = test_qkv_of(device, {type, type}, rows, kind);
  }
  return status;
}

Status test_layers(Device& device, TensorType type, const LayerKind& kind) {
  Status status;
  for (const bool biased : {false, true}) {
    if (biased && !kind.attention_output_bias) continue;
    for (const std::uint32_t rows : kFew) {
      if (status.ok()) status = test_product(device, type, rows, biased);
    }
    if (status.ok()) status = test_product(device, type, kMany, biased);
  }
  return status.ok() ? test_fused(device, type, kind) : status;
}

// Values of another type than queries and keys, where that has kernels of its own.
Status test_mixed_qkv(Device& device, QkvTypes types, const LayerKind& kind) {
  Status status;
  for (const std::uint32_t rows : kFew) {
    if (status.ok()) status = test_qkv_of(device, types, rows, kind);
  }
  return status;
}

Status test_output(Device& device, TensorType type) {
  Status status;
  for (const std::uint32_t rows : kFew) {
    if (status.ok() && device.offers(Op::kNormMatMul, rows)) status = test_norm_product(device, type, rows);
  }
  return status;
}

// Norm, gate and rotation as commands of their own.
Status test_parts(Device& device, TensorType type, const LayerKind& kind) {
  const Status status = test_gate_up_of(device, type, kMany, kind);
  return status.ok() ? test_qkv_of(device, {type, type}, kMany, kind) : status;
}

}  // namespace

Status self_test(Device& device, const ModelNeeds& needs) {
  const LayerKind kind{needs.gate_activation, needs.qkv_biases, needs.attention_output_bias,
                       needs.rope_factors,    needs.qk_norms,   needs.norms_on_both_sides};
  Status status = test_embedding(device, needs.embedding_type);
  for (const TensorType type : needs.layer_types) {
    if (status.ok()) status = test_layers(device, type, kind);
  }
  for (const QkvTypes types : needs.mixed_qkv_types) {
    if (status.ok()) status = test_mixed_qkv(device, types, kind);
  }
  if (status.ok() && !needs.layer_types.empty()) status = test_parts(device, needs.layer_types.front(), kind);
  for (const bool window : {false, true}) {
    if (window && !needs.window) continue;
    for (const std::uint32_t rows : {1u, kMany}) {
      if (status.ok())
        status = test_attention(device, needs.head_width, needs.query_heads / needs.kv_heads, rows,
                                {window, needs.score_cap});
    }
  }
  if (status.ok() && needs.logit_cap) status = test_soft_cap(device);
  for (const bool whole : {false, true}) {
    if (status.ok() && needs.qk_norms && device.offers(Op::kQkNormRope, 1))
      status = test_qk_norm(device, needs.head_width, needs.rope_factors, whole);
  }
  if (status.ok()) status = test_output(device, needs.output_type);
  if (status.ok()) status = test_chain(device);
  return status;
}

}  // namespace emberline::metal
