// What the Metal device adds to the rules of commands.
#include "device/metal/plan.h"
#include "launch_shapes.h"

namespace emberline::metal {
namespace {

constexpr Op kFusedOps[] = {Op::kNormGateUp, Op::kNormMatMul, Op::kNormQkv,       Op::kNormQkvRope,
                            Op::kQkNormRope, Op::kAddNormQkv, Op::kAddNormGateUp, Op::kGumbel};

// Where Metal wants the start of a binding, whatever lies there.
constexpr std::uint64_t kBindingAlignment = 4;

// A row-major matrix as a GGUF file holds it.
MatrixExtent file_extent(TensorType type, std::uint32_t rows, std::uint32_t width) {
  const TensorTypeTraits& layout = traits(type);
  const std::uint64_t row_bytes = std::uint64_t{width} / layout.block_elements * layout.block_bytes;
  return {rows * row_bytes, row_bytes};
}

template <typename Params>
const char* refuse_heads(const Params& p) {
  if (p.page_stride % kBindingAlignment != 0) return "the pages of the cache overlap or are not aligned";
  return p.head_width % 2 != 0 ? "the head width is odd" : nullptr;
}

constexpr const char* kOnlyF16 = "a cache that is not F16 is not offered";

template <typename Params>
const char* refuse_rotation(const Params& p) {
  return p.rotary_width == 0 ? "layers without positions are not offered" : refuse_heads(p);
}

const char* refuse_norm(const Command& command) {
  const auto p = command.get_params<RmsNormParams>();
  const bool biased = command.bindings[slot::RmsNorm::kBias].buffer != kNoBuffer;
  return p.centered != 0 || biased ? "norms that take off the mean or add a bias are not offered" : nullptr;
}

const char* refuse(const Command& command) {
  for (const Binding& binding : command.bindings) {
    if (binding.buffer != kNoBuffer && binding.offset % kBindingAlignment != 0)
      return "a binding is not aligned to 4 bytes";
  }
  switch (command.op) {
    case Op::kRmsNorm: return refuse_norm(command);
    case Op::kGatedUnit:
      return command.bindings[slot::GatedUnit::kUp].buffer == kNoBuffer
                 ? "units without a gate are not offered"
                 : nullptr;
    case Op::kRopeKvWrite: {
      const auto p = command.get_params<RopeKvWriteParams>();
      return p.cache_type != kKvF16 ? kOnlyF16 : refuse_rotation(p);
    }
    case Op::kNormQkvRope: return refuse_rotation(command.get_params<NormQkvRopeParams>());
    case Op::kQkNormRope: return refuse_rotation(command.get_params<QkNormRopeParams>());
    case Op::kAttention: {
      const auto p = command.get_params<AttentionParams>();
      if (p.head_width % 8 != 0 || p.head_width > 256) return "the head width is no multiple of 8 up to 256";
      if (p.cache_type != kKvF16) return kOnlyF16;
      return refuse_heads(p);
    }
    case Op::kGumbel:
      return command.get_params<GumbelParams>().vocabulary > kGumbelMaxVocabulary
                 ? "the vocabulary is too large for the sampler"
                 : nullptr;
    default: return nullptr;
  }
}

}  // namespace

DeviceRules metal_rules(bool fused) {
  return {fused ? std::span<const Op>(kFusedOps) : std::span<const Op>(), file_extent, refuse};
}

}  // namespace emberline::metal
