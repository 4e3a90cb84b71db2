#include "device/ops.h"

namespace emberline {

const char* op_name(Op op) {
  switch (op) {
    case Op::kEmbedding: return "embedding";
    case Op::kRmsNorm: return "norm";
    case Op::kMatMul: return "product";
    case Op::kRopeKvWrite: return "rope and cache write";
    case Op::kAttention: return "attention";
    case Op::kGatedUnit: return "gated unit";
    case Op::kArgmax: return "argmax";
    case Op::kSoftCap: return "soft cap";
    case Op::kNormQkv: return "norm and query/key/value products";
    case Op::kNormGateUp: return "norm and gate/up products";
    case Op::kNormMatMul: return "norm and product";
    case Op::kNormArgmax: return "norm, product and argmax";
    case Op::kRopeAttention: return "rope and attention";
    case Op::kNormQkvRope: return "norm, query/key/value products, rope and cache write";
    case Op::kQkNormRope: return "query and key norms, rope and cache write";
    case Op::kAddNormQkv: return "addition, norm and query/key/value products";
    case Op::kAddNormGateUp: return "addition, norm and gate/up products";
    case Op::kGumbel: return "sampler";
    case Op::kExperts: return "experts";
  }
  return "unknown";
}

}  // namespace emberline
