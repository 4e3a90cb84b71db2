#include "device/metal/launch.h"

#include <string>
#include <utility>

#include "device/metal/command_layout.h"
#include "function_constants.h"
#include "gguf/tensor_type.h"
#include "launch_shapes.h"

namespace emberline::metal {
namespace {

using Kind = FunctionConstant::Kind;

// As the kernels' names end.
const char* suffix(std::uint32_t type_id) {
  switch (static_cast<TensorType>(type_id)) {
    case TensorType::kF32: return "_f32";
    case TensorType::kF16: return "_f16";
    case TensorType::kBF16: return "_bf16";
    case TensorType::kQ4_0: return "_q4_0";
    case TensorType::kQ4_1: return "_q4_1";
    case TensorType::kQ5_0: return "_q5_0";
    case TensorType::kQ5_1: return "_q5_1";
    case TensorType::kQ8_0: return "_q8_0";
  }
  return "";
}

constexpr std::uint32_t groups(std::uint32_t count, std::uint32_t each) {
  return (count + each - 1) / each;
}

class LaunchDraft {
 public:
  LaunchDraft(const Command& command, const LaunchOptions& options) : command_(command), options_(options) {
    launch_.kernel.constants.push_back({kConstantChained, Kind::kBool, options.chained ? 1u : 0u});
  }

  template <typename Params>
  Params params() const {
    return command_.get_params<Params>();
  }
  bool is_bound(int slot) const {
    return command_.bindings[static_cast<std::size_t>(slot)].buffer != kNoBuffer;
  }

  void kernel(const char* name) { launch_.kernel.function = name; }
  void kernel(const char* name, std::uint32_t type_id) {
    launch_.kernel.function = std::string(name) + suffix(type_id);
  }
  void flag(std::uint32_t index, bool value) {
    launch_.kernel.constants.push_back({index, Kind::kBool, value ? 1u : 0u});
  }
  void number(std::uint32_t index, std::uint32_t value) {
    launch_.kernel.constants.push_back({index, Kind::kUint, value});
  }
  // A kernel that may end the chain.
  void may_halt() { flag(kConstantIndirect, options_.indirect); }

  void grid(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t threads) {
    launch_.grid = {x, y, z};
    launch_.threads = threads;
  }
  // One extent of the grid is rows * times / each, rounded up.
  void rows_in(Grid::Rows extent, std::uint32_t each = 1, std::uint32_t times = 1) {
    launch_.grid.rows = extent;
    launch_.grid.rows_a_group = each;
    launch_.grid.groups_times = times;
  }
  void threadgroup_bytes(std::uint32_t bytes) { launch_.threadgroup_bytes = bytes; }
  void fewer_threads_do() { launch_.fewer_threads_do = true; }

  // The mat_vec family, for `capacity` rows.
  void mat_vec(std::uint32_t pairs, std::uint32_t in, std::uint32_t capacity) {
    number(kConstantRowCapacity, capacity);
    grid(mat_vec_threadgroups(pairs), 1, 1, mat_vec_threads(pairs));
    launch_.threadgroup_bytes = mat_vec_threadgroup_bytes(capacity, in);
  }

  bool many() const { return options_.rows == RowClass::kMany; }
  std::uint32_t capacity() const { return row_capacity(options_.rows); }
  Launch take() && { return std::move(launch_); }

 private:
  const Command& command_;
  const LaunchOptions& options_;
  Launch launch_;
};

void launch_embedding(LaunchDraft& draft) {
  draft.kernel("embedding", draft.params<EmbeddingParams>().weight_type);
  draft.may_halt();
  draft.grid(1, 1, 1, kRowKernelThreads);
  draft.rows_in(Grid::Rows::kX);
}

void launch_rms_norm(LaunchDraft& draft) {
  draft.kernel("rms_norm");
  draft.grid(1, 1, 1, kRowKernelThreads);
  draft.rows_in(Grid::Rows::kX);
}

void launch_gated_unit(LaunchDraft& draft) {
  draft.kernel("gated_unit");
  draft.number(kConstantGateActivation, draft.params<GatedUnitParams>().activation);
  draft.grid(groups(draft.params<GatedUnitParams>().width, kRowKernelThreads), 1, 1, kRowKernelThreads);
  draft.rows_in(Grid::Rows::kY);
}

void launch_rope_kv_write(LaunchDraft& draft) {
  const auto p = draft.params<RopeKvWriteParams>();
  draft.kernel("rope_kv_write");
  draft.grid(groups(rope_pairs(p.query_heads, p.kv_heads, p.head_width), kRowKernelThreads), 1, 1,
             kRowKernelThreads);
  draft.rows_in(Grid::Rows::kY);
}

void launch_mat_mul(LaunchDraft& draft) {
  const auto p = draft.params<MatMulParams>();
  draft.flag(kConstantHasBias, draft.is_bound(slot::MatMul::kBias));
  if (draft.many() && p.last_row_only == 0) {
    draft.kernel("mat_mat", p.weight_type);
    draft.grid(1, groups(p.out, kMatMatOuts), 1, kMatMatThreads);
    draft.rows_in(Grid::Rows::kX, kMatMatRows);
    draft.threadgroup_bytes(kMatMatThreadgroupBytes);
    return;
  }
  draft.kernel("mat_vec", p.weight_type);
  draft.mat_vec(mat_vec_pairs(p.out), p.in, p.last_row_only != 0 ? 1 : draft.capacity());
}

void launch_norm_mat_mul(LaunchDraft& draft) {
  const auto p = draft.params<NormMatMulParams>();
  draft.kernel("norm_mat_vec", p.weight_type);
  draft.mat_vec(mat_vec_pairs(p.out), p.width, p.last_row_only != 0 ? 1 : draft.capacity());
}

void launch_norm_gate_up(LaunchDraft& draft) {
  const auto p = draft.params<NormGateUpParams>();
  draft.kernel("norm_gate_up", p.gate_type);
  draft.number(kConstantGateActivation, p.activation);
  draft.mat_vec(gate_up_pairs(p.hidden), p.width, draft.capacity());
}

void launch_norm_qkv_rope(LaunchDraft& draft) {
  const auto p = draft.params<NormQkvRopeParams>();
  draft.kernel("norm_qkv_rope", p.weight_type);
  draft.flag(kConstantHasBias, draft.is_bound(slot::NormQkvRope::kBq));
  draft.mat_vec(rope_pairs(p.query_heads, p.kv_heads, p.head_width), p.width, draft.capacity());
}

void launch_attention(LaunchDraft& draft) {
  const auto p = draft.params<AttentionParams>();
  const std::uint32_t heads_per_kv = p.query_heads / p.kv_heads;
  draft.number(kConstantHeadWidth, p.head_width);
  draft.number(kConstantHeadsPerKv, heads_per_kv);
  if (draft.many() && attention_knows_width(p.head_width)) {
    const std::uint32_t threads = attention_prefill_threads(p.head_width);
    draft.kernel("attention_prefill");
    draft.grid(p.kv_heads, 1, 1, threads);
    draft.rows_in(Grid::Rows::kY, threads / 32 * 8, heads_per_kv);
    draft.threadgroup_bytes(attention_prefill_threadgroup_bytes(p.head_width));
    return;
  }
  draft.kernel("attention_decode");
  draft.grid(p.kv_heads, attention_decode_parts(heads_per_kv), 1, attention_decode_threads(heads_per_kv));
  draft.rows_in(Grid::Rows::kZ);
  draft.threadgroup_bytes(kDecodeThreadgroupBytes);
}

void launch_gumbel(LaunchDraft& draft) {
  draft.kernel("gumbel");
  draft.grid(1, 1, 1, kLogitThreads);
  draft.threadgroup_bytes(kGumbelThreadgroupBytes);
  draft.fewer_threads_do();
}

void launch_argmax(LaunchDraft& draft) {
  const auto p = draft.params<ArgmaxParams>();
  draft.kernel("argmax");
  draft.flag(kConstantHasRawLogits, draft.is_bound(slot::Argmax::kRawLogits));
  draft.may_halt();
  draft.grid(1, 1, 1, kLogitThreads);
  if (p.last_row_only == 0) draft.rows_in(Grid::Rows::kX);
  draft.fewer_threads_do();
}

void choose(Op op, LaunchDraft& draft) {
  switch (op) {
    case Op::kEmbedding: return launch_embedding(draft);
    case Op::kRmsNorm: return launch_rms_norm(draft);
    case Op::kMatMul: return launch_mat_mul(draft);
    case Op::kRopeKvWrite: return launch_rope_kv_write(draft);
    case Op::kAttention: return launch_attention(draft);
    case Op::kGatedUnit: return launch_gated_unit(draft);
    case Op::kArgmax: return launch_argmax(draft);
    case Op::kNormGateUp: return launch_norm_gate_up(draft);
    case Op::kNormMatMul: return launch_norm_mat_mul(draft);
    case Op::kNormQkvRope: return launch_norm_qkv_rope(draft);
    case Op::kGumbel: return launch_gumbel(draft);
    case Op::kNormQkv:
    case Op::kNormArgmax:
    case Op::kRopeAttention: break;  // refused by the checks
  }
}

}  // namespace

Launch launch_of(const Command& command, const LaunchOptions& options) {
  LaunchDraft draft(command, options);
  choose(command.op, draft);
  const CommandLayout layout = command_layout(command.op);
  Launch launch = std::move(draft).take();
  launch.slots = layout.slots;
  launch.param_bytes = layout.param_bytes;
  return launch;
}

}  // namespace emberline::metal
