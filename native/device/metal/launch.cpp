#include "device/metal/launch.h"

#include <string>
#include <utility>

#include "device/visit_params.h"
#include "function_constants.h"
#include "gguf/tensor_type.h"
#include "launch_shapes.h"

namespace emberline::metal {
namespace {

using Kind = FunctionConstant::Kind;

// As the kernels' names end: "_q4_0".
std::string suffix(std::uint32_t type_id) {
  std::string name = std::string("_") + traits(static_cast<TensorType>(type_id)).name;
  for (char& letter : name) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return name;
}

// As EMBERLINE_FOR_EACH_FORMAT_OF_VALUES (weight_formats.h).
constexpr QkvTypes kMixedTypes[] = {{TensorType::kQ3_K, TensorType::kQ4_K},
                                    {TensorType::kQ3_K, TensorType::kQ5_K},
                                    {TensorType::kQ4_K, TensorType::kQ5_K},
                                    {TensorType::kQ4_K, TensorType::kQ6_K},
                                    {TensorType::kQ5_K, TensorType::kQ6_K}};

constexpr std::uint32_t groups(std::uint32_t count, std::uint32_t each) {
  return (count + each - 1) / each;
}

class LaunchDraft {
 public:
  LaunchDraft(const Command& command, const LaunchOptions& options) : command_(command), options_(options) {
    launch_.kernel.constants.push_back({kConstantChained, Kind::kBool, options.chained ? 1u : 0u});
  }

  bool is_bound(int slot) const {
    return command_.bindings[static_cast<std::size_t>(slot)].buffer != kNoBuffer;
  }

  void kernel(const char* name) { launch_.kernel.function = name; }
  void kernel(const char* name, std::uint32_t type_id) {
    launch_.kernel.function = std::string(name) + suffix(type_id);
  }
  void also_of(std::uint32_t type_id) { launch_.kernel.function += suffix(type_id); }
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

  // Behind a norm; `added`: something is added in front of it.
  void norm_vec(std::uint32_t pairs, std::uint32_t in, std::uint32_t capacity, bool added = false) {
    flag(kConstantHasAdded, added);
    mat_vec(pairs, in, capacity);
  }

  bool many() const { return options_.rows == RowClass::kMany; }
  std::uint32_t capacity() const { return row_capacity(options_.rows); }
  Launch take() && { return std::move(launch_); }

 private:
  const Command& command_;
  const LaunchOptions& options_;
  Launch launch_;
};

void launch(LaunchDraft& draft, const EmbeddingParams& p) {
  draft.kernel("embedding", p.weight_type);
  draft.may_halt();
  draft.grid(1, 1, 1, kRowKernelThreads);
  draft.rows_in(Grid::Rows::kX);
}

void launch(LaunchDraft& draft, const RmsNormParams& p) {
  draft.kernel("rms_norm");
  draft.flag(kConstantHasAdded, draft.is_bound(slot::RmsNorm::kAddend));
  draft.grid(1, 1, 1, kRowKernelThreads);
  draft.rows_in(Grid::Rows::kX, 1, p.parts);
}

void launch(LaunchDraft& draft, const GatedUnitParams& p) {
  draft.kernel("gated_unit");
  draft.number(kConstantGateActivation, p.activation);
  draft.grid(groups(p.width, kRowKernelThreads), 1, 1, kRowKernelThreads);
  draft.rows_in(Grid::Rows::kY);
}

void launch(LaunchDraft& draft, const SoftCapParams& p) {
  draft.kernel("soft_cap");
  draft.grid(groups(p.width, kRowKernelThreads), 1, 1, kRowKernelThreads);
  if (p.last_row_only == 0) draft.rows_in(Grid::Rows::kY);
}

void launch(LaunchDraft& draft, const RopeKvWriteParams& p) {
  draft.kernel("rope_kv_write");
  draft.flag(kConstantHasRopeFactors, draft.is_bound(slot::RopeKvWrite::kFactors));
  draft.grid(groups(rope_pairs(p.query_heads, p.kv_heads, p.head_width), kRowKernelThreads), 1, 1,
             kRowKernelThreads);
  draft.rows_in(Grid::Rows::kY);
}

void launch(LaunchDraft& draft, const MatMulParams& p) {
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

void launch(LaunchDraft& draft, const NormMatMulParams& p) {
  draft.kernel("norm_mat_vec", p.weight_type);
  draft.norm_vec(mat_vec_pairs(p.out), p.width, p.last_row_only != 0 ? 1 : draft.capacity());
}

void launch_gate_up(LaunchDraft& draft, const NormGateUpParams& p, bool added) {
  draft.kernel("norm_gate_up", p.gate_type);
  draft.number(kConstantGateActivation, p.activation);
  draft.norm_vec(gate_up_pairs(p.hidden), p.width, draft.capacity(), added);
}

void launch(LaunchDraft& draft, const NormGateUpParams& p) {
  launch_gate_up(draft, p, false);
}

void launch(LaunchDraft& draft, const AddNormGateUpParams& p) {
  launch_gate_up(draft, p.norm, true);
}

void launch_qkv(LaunchDraft& draft, const NormQkvParams& p, bool added) {
  draft.kernel("norm_qkv", p.q_type);
  if (p.v_type != p.q_type) draft.also_of(p.v_type);
  draft.flag(kConstantHasBias, draft.is_bound(slot::NormQkv::kBq));
  draft.norm_vec(qkv_pairs(p.q_out, p.kv_out), p.width, draft.capacity(), added);
}

void launch(LaunchDraft& draft, const NormQkvParams& p) {
  launch_qkv(draft, p, false);
}

void launch(LaunchDraft& draft, const AddNormQkvParams& p) {
  launch_qkv(draft, p.norm, true);
}

void launch(LaunchDraft& draft, const QkNormRopeParams& p) {
  draft.kernel("qk_norm_rope");
  draft.flag(kConstantHasRopeFactors, draft.is_bound(slot::QkNormRope::kFactors));
  draft.grid(qk_norm_groups(p.query_heads * p.head_width / p.query_part,
                            p.kv_heads * p.head_width / p.key_part, p.kv_heads),
             1, 1, qk_norm_threads(p.query_part, p.key_part));
  draft.rows_in(Grid::Rows::kY);
}

void launch(LaunchDraft& draft, const NormQkvRopeParams& p) {
  draft.kernel("norm_qkv_rope", p.q_type);
  if (p.v_type != p.q_type) draft.also_of(p.v_type);
  draft.flag(kConstantHasBias, draft.is_bound(slot::NormQkvRope::kBq));
  draft.flag(kConstantHasRopeFactors, draft.is_bound(slot::NormQkvRope::kFactors));
  draft.norm_vec(rope_pairs(p.query_heads, p.kv_heads, p.head_width), p.width, draft.capacity());
}

void launch(LaunchDraft& draft, const AttentionParams& p) {
  const std::uint32_t heads_per_kv = p.query_heads / p.kv_heads;
  draft.number(kConstantHeadWidth, p.head_width);
  draft.number(kConstantHeadsPerKv, heads_per_kv);
  draft.flag(kConstantHasScoreCap, p.soft_cap != 0.0f);
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

void launch(LaunchDraft& draft, const GumbelParams&) {
  draft.kernel("gumbel");
  draft.grid(1, 1, 1, kLogitThreads);
  draft.threadgroup_bytes(kGumbelThreadgroupBytes);
  draft.fewer_threads_do();
}

void launch(LaunchDraft& draft, const ArgmaxParams& p) {
  draft.kernel("argmax");
  draft.flag(kConstantHasRawLogits, draft.is_bound(slot::Argmax::kRawLogits));
  draft.may_halt();
  draft.grid(1, 1, 1, kLogitThreads);
  if (p.last_row_only == 0) draft.rows_in(Grid::Rows::kX);
  draft.fewer_threads_do();
}

// Of an op that the device does not offer: refused by the checks.
template <typename Params>
void launch(LaunchDraft&, const Params&) {}

// apart: no threadgroup has pairs of values and of others.
bool have_kernel_together(std::uint32_t q_type, std::uint32_t k_type, std::uint32_t v_type, bool apart) {
  if (k_type != q_type) return false;
  if (v_type == q_type) return true;
  if (!apart) return false;
  for (const auto& [queries, values] : kMixedTypes) {
    if (q_type == static_cast<std::uint32_t>(queries) && v_type == static_cast<std::uint32_t>(values))
      return true;
  }
  return false;
}

}  // namespace

bool has_fused_kernel(const NormQkvRopeParams& p) {
  return have_kernel_together(p.q_type, p.k_type, p.v_type,
                              qkv_threadgroups_are_apart(p.query_heads, p.kv_heads, p.head_width));
}

bool has_fused_kernel(const NormQkvParams& p) {
  return have_kernel_together(p.q_type, p.k_type, p.v_type, qkv_sections_are_apart(p.q_out, p.kv_out));
}

Launch launch_of(const Command& command, const LaunchOptions& options) {
  LaunchDraft draft(command, options);
  visit_params(command, [&](const auto& params) { launch(draft, params); });
  return std::move(draft).take();
}

}  // namespace emberline::metal
