#include "device/metal/lowering.h"

#include <cstddef>
#include <initializer_list>
#include <utility>

#include "device/metal/launch.h"

namespace emberline::metal {
namespace {

using Slots = std::initializer_list<std::pair<int, Binding>>;

class Lowering {
 public:
  explicit Lowering(std::uint32_t max_rows) : max_rows_(max_rows) {}

  // [max_rows, width] floats.
  Binding scratch(std::uint64_t width) {
    constexpr std::uint64_t kAlignment = 256;
    const Binding binding{kScratchBuffer, lowered_.scratch_bytes};
    const std::uint64_t bytes = max_rows_ * width * sizeof(float);
    lowered_.scratch_bytes += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return binding;
  }

  template <typename Params>
  Command& add(Op op, Slots slots, const Params& params) {
    Command& command = lowered_.commands.emplace_back();
    command.op = op;
    for (const auto& [slot, binding] : slots) command.bindings[static_cast<std::size_t>(slot)] = binding;
    command.set_params(params);
    return command;
  }
  void norm(Binding x, Binding gain, Binding out, std::uint32_t width, float epsilon) {
    using Slot = slot::RmsNorm;
    add(Op::kRmsNorm, {{Slot::kX, x}, {Slot::kGain, gain}, {Slot::kOut, out}},
        RmsNormParams{.width = width, .epsilon = epsilon});
  }
  // sum = x + norm(added), and that as what is normed next.
  Binding add_normed(Binding x, Binding added, Binding gain, Binding sum, std::uint32_t width,
                     float epsilon) {
    using Slot = slot::RmsNorm;
    add(Op::kRmsNorm, {{Slot::kX, added}, {Slot::kGain, gain}, {Slot::kOut, sum}, {Slot::kAddend, x}},
        RmsNormParams{.width = width, .epsilon = epsilon, .accumulate = 1});
    return sum;
  }
  struct Product {
    Binding x, weight, bias = {}, y;
    std::uint32_t in, out, weight_type, fine_activations = 0;
  };
  void product(const Product& p) {
    using Slot = slot::MatMul;
    add(Op::kMatMul, {{Slot::kX, p.x}, {Slot::kWeight, p.weight}, {Slot::kBias, p.bias}, {Slot::kY, p.y}},
        MatMulParams{.in = p.in,
                     .out = p.out,
                     .weight_type = p.weight_type,
                     .accumulate = 0,
                     .last_row_only = 0,
                     .fine_activations = p.fine_activations});
  }

  Lowered take() && { return std::move(lowered_); }

 private:
  std::uint64_t max_rows_;
  Lowered lowered_;
};

const Binding& at(const Command& command, int slot) {
  return command.bindings[static_cast<std::size_t>(slot)];
}

void lower_norm_mat_mul(const Command& command, Lowering& into) {
  const auto p = command.get_params<NormMatMulParams>();
  using Slot = slot::NormMatMul;
  const Binding normed = into.scratch(p.width);
  into.norm(at(command, Slot::kX), at(command, Slot::kGain), normed, p.width, p.epsilon);
  into.product({.x = normed,
                .weight = at(command, Slot::kWeight),
                .y = at(command, Slot::kY),
                .in = p.width,
                .out = p.out,
                .weight_type = p.weight_type,
                .fine_activations = p.fine_activations});
}

// x: the residual stream.
void lower_norm_gate_up(const Command& command, const NormGateUpParams& p, const Binding& x, Lowering& into) {
  using Slot = slot::NormGateUp;
  const Binding normed = into.scratch(p.width), gate = into.scratch(p.hidden), up = into.scratch(p.hidden);
  into.norm(x, at(command, Slot::kGain), normed, p.width, p.epsilon);
  const auto expand = [&](int weight, std::uint32_t type, const Binding& y) {
    into.product({.x = normed,
                  .weight = at(command, weight),
                  .y = y,
                  .in = p.width,
                  .out = p.hidden,
                  .weight_type = type});
  };
  expand(Slot::kWGate, p.gate_type, gate);
  expand(Slot::kWUp, p.up_type, up);
  using Gated = slot::GatedUnit;
  into.add(Op::kGatedUnit, {{Gated::kGate, gate}, {Gated::kUp, up}, {Gated::kOut, at(command, Slot::kOut)}},
           GatedUnitParams{.width = p.hidden, .activation = p.activation});
}

// x: the residual stream.
void lower_norm_qkv(const Command& command, const NormQkvParams& p, const Binding& x, Lowering& into) {
  using Slot = slot::NormQkv;
  const Binding normed = into.scratch(p.width);
  into.norm(x, at(command, Slot::kGain), normed, p.width, p.epsilon);
  const std::uint32_t types[] = {p.q_type, p.k_type, p.v_type};
  for (int i = 0; i < 3; ++i) {
    into.product({.x = normed,
                  .weight = at(command, Slot::kWq + i),
                  .bias = at(command, Slot::kBq + i),
                  .y = at(command, Slot::kQ + i),
                  .in = p.width,
                  .out = i == 0 ? p.q_out : p.kv_out,
                  .weight_type = types[i],
                  .fine_activations = p.fine_activations});
  }
}

template <typename Slot>
Binding add_normed(const Command& command, std::uint32_t width, float epsilon, Lowering& into) {
  return into.add_normed(at(command, Slot::kX), at(command, Slot::kAdded), at(command, Slot::kAddedGain),
                         at(command, Slot::kSum), width, epsilon);
}

void lower_norm_qkv_rope(const Command& command, Lowering& into) {
  const auto p = command.get_params<NormQkvRopeParams>();
  using Slot = slot::NormQkvRope;
  const std::uint32_t q_out = p.query_heads * p.head_width, kv_out = p.kv_heads * p.head_width;
  const Binding normed = into.scratch(p.width), k = into.scratch(kv_out), v = into.scratch(kv_out);
  const Binding& q = at(command, Slot::kQ);
  into.norm(at(command, Slot::kX), at(command, Slot::kGain), normed, p.width, p.epsilon);
  const auto project = [&](int weight, int bias, std::uint32_t type, const Binding& y, std::uint32_t out) {
    into.product({.x = normed,
                  .weight = at(command, weight),
                  .bias = at(command, bias),
                  .y = y,
                  .in = p.width,
                  .out = out,
                  .weight_type = type});
  };
  project(Slot::kWq, Slot::kBq, p.q_type, q, q_out);
  project(Slot::kWk, Slot::kBk, p.k_type, k, kv_out);
  project(Slot::kWv, Slot::kBv, p.v_type, v, kv_out);
  using Rope = slot::RopeKvWrite;
  Command& rope = into.add(Op::kRopeKvWrite,
                           {{Rope::kQ, q},
                            {Rope::kK, k},
                            {Rope::kV, v},
                            {Rope::kKeyCache, at(command, Slot::kKeyCache)},
                            {Rope::kValueCache, at(command, Slot::kValueCache)},
                            {Rope::kPages, at(command, Slot::kPages)},
                            {Rope::kFactors, at(command, Slot::kFactors)}},
                           RopeKvWriteParams{.position = p.position,
                                             .query_heads = p.query_heads,
                                             .kv_heads = p.kv_heads,
                                             .head_width = p.head_width,
                                             .rotary_width = p.rotary_width,
                                             .style = p.style,
                                             .theta = p.theta,
                                             .context = p.context,
                                             .page_stride = p.page_stride});
  rope.patch = command.patch;
}

bool has_kernel(const Command& command, const NormQkvParams& p, RowClass rows) {
  using Slot = slot::NormQkv;
  const auto is_bound = [&](int slot) { return at(command, slot).buffer != kNoBuffer; };
  const bool all_biased_or_none =
      is_bound(Slot::kBq) == is_bound(Slot::kBk) && is_bound(Slot::kBq) == is_bound(Slot::kBv);
  return rows != RowClass::kMany && all_biased_or_none && has_fused_kernel(p);
}

bool has_kernel(const NormGateUpParams& p, RowClass rows) {
  return rows != RowClass::kMany && p.gate_type == p.up_type;
}

// Whether the fused kernel does without its parts being commands of their own.
bool has_kernel(const Command& command, RowClass rows) {
  switch (command.op) {
    // Only one row is computed, however many there are.
    case Op::kNormMatMul:
      return rows != RowClass::kMany || command.get_params<NormMatMulParams>().last_row_only != 0;
    case Op::kNormGateUp: return has_kernel(command.get_params<NormGateUpParams>(), rows);
    case Op::kAddNormGateUp: return has_kernel(command.get_params<AddNormGateUpParams>().norm, rows);
    case Op::kNormQkv: return has_kernel(command, command.get_params<NormQkvParams>(), rows);
    case Op::kAddNormQkv: return has_kernel(command, command.get_params<AddNormQkvParams>().norm, rows);
    case Op::kNormQkvRope:
      return rows != RowClass::kMany && has_fused_kernel(command.get_params<NormQkvRopeParams>());
    default: return true;
  }
}

}  // namespace

Lowered lower(const Command& command, RowClass rows, std::uint32_t max_rows) {
  if (has_kernel(command, rows)) return {{command}, 0};
  Lowering lowering(max_rows);
  switch (command.op) {
    case Op::kNormMatMul: lower_norm_mat_mul(command, lowering); break;
    case Op::kNormGateUp:
      lower_norm_gate_up(command, command.get_params<NormGateUpParams>(), at(command, slot::NormGateUp::kX),
                         lowering);
      break;
    case Op::kNormQkv:
      lower_norm_qkv(command, command.get_params<NormQkvParams>(), at(command, slot::NormQkv::kX), lowering);
      break;
    case Op::kAddNormGateUp: {
      const NormGateUpParams p = command.get_params<AddNormGateUpParams>().norm;
      lower_norm_gate_up(command, p, add_normed<slot::AddNormGateUp>(command, p.width, p.epsilon, lowering),
                         lowering);
      break;
    }
    case Op::kAddNormQkv: {
      const NormQkvParams p = command.get_params<AddNormQkvParams>().norm;
      lower_norm_qkv(command, p, add_normed<slot::AddNormQkv>(command, p.width, p.epsilon, lowering),
                     lowering);
      break;
    }
    default: lower_norm_qkv_rope(command, lowering); break;
  }
  return std::move(lowering).take();
}

}  // namespace emberline::metal
