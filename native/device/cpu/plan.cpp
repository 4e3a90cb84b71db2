#include "device/cpu/plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <new>
#include <string>

#include "device/cpu/kernels/select_kernels.h"
#include "device/cpu/packed/packed_matrix.h"
#include "device/cpu/stages/attention_stages.h"
#include "device/cpu/stages/stages.h"

namespace emberline {
namespace {

class PlanBuilder {
 public:
  PlanBuilder(const DispatchTable& table, const BufferTable& buffers, const Kernels& kernels, bool fused)
      : table_(table), buffers_(buffers), kernels_(kernels), fused_(fused) {}

  Result<Plan> build() {
    if (table_.commands.empty())
      return Status(ErrorCode::kInvalidArgument, "The dispatch table has no commands.");
    if (table_.max_rows < 1 || table_.max_rows > kMaxBatchRows) {
      return Status(ErrorCode::kInvalidArgument, "A dispatch table's batch must have 1 to 4096 rows.");
    }
    rows_ = table_.max_rows;
    plan_.needs.max_rows = rows_;
    for (index_ = 0; index_ < table_.commands.size() && problem_.empty(); ++index_) {
      command_ = &table_.commands[index_];
      compile();
    }
    if (!problem_.empty()) {
      const std::string label =
          index_ - 1 < table_.labels.size() ? " (" + table_.labels[index_ - 1] + ")" : "";
      return Status(ErrorCode::kInvalidArgument, "Command " + std::to_string(index_ - 1) + label + ", " +
                                                     op_name(command_->op) + ": " + problem_ + ".");
    }
    // Angles come first: the stages of a step read them.
    plan_.stages.insert(plan_.stages.begin(), std::make_move_iterator(angles_.begin()),
                        std::make_move_iterator(angles_.end()));
    return std::move(plan_);
  }

 private:
  void compile() {
    switch (command_->op) {
      case Op::kEmbedding: return embedding();
      case Op::kRmsNorm: return rms_norm();
      case Op::kMatMul: return mat_mul();
      case Op::kRopeKvWrite: return rope_kv_write();
      case Op::kAttention: return attention();
      case Op::kSwiGlu: return swi_glu();
      case Op::kArgmax: return argmax();
      case Op::kNormQkv: return fused_ ? norm_qkv() : fail("this device does not offer the op");
      case Op::kNormGateUp: return fused_ ? norm_gate_up() : fail("this device does not offer the op");
      case Op::kNormMatMul: return fused_ ? norm_mat_mul() : fail("this device does not offer the op");
      case Op::kNormArgmax: return fused_ ? norm_argmax() : fail("this device does not offer the op");
      case Op::kRopeAttention: return fused_ ? rope_attention() : fail("this device does not offer the op");
    }
    fail("there is no such op");
  }

  // Checks. The first that fails decides the message; after it nothing the builder returns is used.

  void fail(const char* problem) {
    if (problem_.empty()) problem_ = problem;
  }
  void require(bool condition, const char* problem) {
    if (!condition) fail(problem);
  }
  bool extent(std::uint64_t value) {
    require(value >= 1 && value <= kMaxExtent, "an extent is not in 1 to 16777216");
    return problem_.empty();
  }
  void flag(std::uint32_t value) { require(value <= 1, "a flag is neither 0 nor 1"); }
  void epsilon(float value) {
    require(std::isfinite(value) && value >= 0.0f, "the epsilon is not a small number");
  }
  // Returns whether the command has the patch `kind`; it may have none instead.
  bool patch(Patch kind, std::size_t offset_1 = 0, std::size_t offset_2 = 0) {
    if (command_->patch == Patch::kNone) return false;
    require(command_->patch == kind && command_->patch_offset_1 == offset_1 &&
                command_->patch_offset_2 == offset_2,
            "the patch does not fit the op");
    return true;
  }
  void no_patch() { require(command_->patch == Patch::kNone, "the patch does not fit the op"); }

  enum class Access { kRead, kWrite, kWeight };
  enum class Room { kUsable, kAsItGrows };
  std::uint8_t* bytes(int slot, std::uint64_t count, std::size_t alignment, Access access,
                      Room room = Room::kUsable) {
    const Binding& binding = command_->bindings[static_cast<std::size_t>(slot)];
    const BufferView view = buffers_.view(binding.buffer);
    if (view.data == nullptr) {
      fail("a binding names no buffer");
      return nullptr;
    }
    require(access != Access::kWrite || view.writable, "an output is bound to read-only memory");
    require(access != Access::kWeight || view.packed, "a weight is not a matrix that the device loaded");
    require(access == Access::kWeight || !view.packed, "a loaded matrix is bound where no weight belongs");
    const std::size_t most = room == Room::kUsable ? view.bytes : view.most;
    require(binding.offset <= most && count <= most - binding.offset, "a binding reaches past its buffer");
    if (!problem_.empty()) return nullptr;
    std::uint8_t* at = view.data + binding.offset;
    require(reinterpret_cast<std::uintptr_t>(at) % alignment == 0,
            "a binding is not aligned to its element size");
    plan_.buffers.push_back(binding.buffer);
    return at;
  }
  const float* floats(int slot, std::uint64_t count) {
    return reinterpret_cast<const float*>(bytes(slot, count * sizeof(float), sizeof(float), Access::kRead));
  }
  const float* optional_floats(int slot, std::uint64_t count) {
    return command_->bindings[static_cast<std::size_t>(slot)].buffer == kNoBuffer ? nullptr
                                                                                  : floats(slot, count);
  }
  float* output_floats(int slot, std::uint64_t count) {
    return reinterpret_cast<float*>(bytes(slot, count * sizeof(float), sizeof(float), Access::kWrite));
  }
  // A stage's threads write its outputs while others still read its inputs.
  void apart(const float* input, std::uint64_t input_count, const float* output, std::uint64_t output_count) {
    const auto from = reinterpret_cast<std::uintptr_t>(input), to = reinterpret_cast<std::uintptr_t>(output);
    require(input == nullptr || output == nullptr || from + input_count * sizeof(float) <= to ||
                to + output_count * sizeof(float) <= from,
            "an output overlaps an input");
  }
  // Elements of `size` bytes from the binding to the end of its buffer.
  std::uint64_t capacity(int slot, std::size_t size) const {
    const Binding& binding = command_->bindings[static_cast<std::size_t>(slot)];
    return (buffers_.view(binding.buffer).bytes - binding.offset) / size;
  }

  struct Weight {
    const std::uint8_t* data = nullptr;
    std::size_t panel_bytes = 0;
    TensorType type = TensorType::kF32;
  };
  Weight weight(int slot, std::uint32_t type_id, std::uint32_t rows, std::uint32_t width) {
    Weight weight;
    const TensorTypeTraits* layout = tensor_type_traits(type_id);
    if (layout == nullptr) {
      fail("there are no kernels for the weight's type");
      return weight;
    }
    if (!extent(rows) || !extent(width)) return weight;
    require(width % layout->block_elements == 0, "the width is no multiple of the weight's block");
    if (!problem_.empty()) return weight;
    const MatrixShape shape{static_cast<TensorType>(type_id), rows, width};
    weight.type = shape.type;
    weight.panel_bytes = shape.panel_bytes();
    weight.data = bytes(slot, shape.packed_bytes(), alignof(PackedF32), Access::kWeight);
    return weight;
  }

  template <typename T>
  T& add_stage() {
    plan_.stages.push_back(std::make_unique<T>());
    return static_cast<T&>(*plan_.stages.back());
  }
  // Scratch for rows of `width` and products that read them.
  void need_activations(std::uint32_t width) {
    plan_.needs.activation_width = std::max<std::size_t>(plan_.needs.activation_width, width);
    plan_.needs.tile_rows = std::max<std::size_t>(kTileRows, rows_);
  }
  Product product(const Weight& weight, std::uint32_t out) const {
    Product product{};
    product.kernel = product_kernel(kernels_, weight.type);
    product.weight = weight.data;
    product.panel_bytes = weight.panel_bytes;
    product.out = out;
    return product;
  }
  ActivationStage& add_activations(const float* x, const float* gain, std::uint32_t width, float epsilon,
                                   bool quantize) {
    auto& stage = add_stage<ActivationStage>();
    stage.kernels = &kernels_;
    stage.x = x;
    stage.gain = gain;
    stage.width = width;
    stage.epsilon = epsilon;
    stage.quantize = quantize;
    need_activations(width);
    return stage;
  }

  void embedding() {
    const auto params = command_->get_params<EmbeddingParams>();
    using Slot = slot::Embedding;
    const Weight table = weight(Slot::kTable, params.weight_type, params.vocabulary, params.width);
    if (!problem_.empty()) return;
    auto& stage = add_stage<EmbeddingStage>();
    stage.tokens = reinterpret_cast<const std::uint32_t*>(
        bytes(Slot::kTokens, rows_ * sizeof(std::uint32_t), sizeof(std::uint32_t), Access::kRead));
    stage.offset_by_step = patch(Patch::kTokenOffset);
    stage.table = table.data;
    stage.type = table.type;
    stage.width = params.width;
    stage.vocabulary = params.vocabulary;
    stage.out = output_floats(Slot::kOut, rows_ * params.width);
    if (problem_.empty() && stage.offset_by_step) limit_steps(capacity(Slot::kTokens, sizeof(std::uint32_t)));
  }

  void rms_norm() {
    const auto params = command_->get_params<RmsNormParams>();
    using Slot = slot::RmsNorm;
    no_patch();
    epsilon(params.epsilon);
    if (!extent(params.width)) return;
    auto& stage = add_stage<NormStage>();
    stage.kernels = &kernels_;
    stage.x = floats(Slot::kX, rows_ * params.width);
    stage.gain = floats(Slot::kGain, params.width);
    stage.width = params.width;
    stage.epsilon = params.epsilon;
    stage.out = output_floats(Slot::kOut, rows_ * params.width);
  }

  void mat_mul() {
    const auto params = command_->get_params<MatMulParams>();
    using Slot = slot::MatMul;
    no_patch();
    flag(params.accumulate);
    flag(params.last_row_only);
    flag(params.fine_activations);
    const Weight w = weight(Slot::kWeight, params.weight_type, params.out, params.in);
    if (!problem_.empty()) return;
    const bool last_row_only = params.last_row_only != 0;
    const float* x = floats(Slot::kX, rows_ * params.in);
    const bool quantized = is_quantized(w.type);
    const bool fine = quantized && params.fine_activations != 0;
    if (quantized) {
      auto& activations = add_activations(x, nullptr, params.in, 0.0f, true);
      activations.last_row_only = last_row_only;
      activations.fine = fine;
    }
    need_activations(params.in);
    auto& stage = add_stage<ProductStage>();
    stage.width = params.in;
    stage.values = quantized ? nullptr : x;
    stage.fine = fine;
    stage.last_row_only = last_row_only;
    Product y = product(w, params.out);
    y.bias = optional_floats(Slot::kBias, params.out);
    y.y = output_floats(Slot::kY, (last_row_only ? 1 : rows_) * params.out);
    y.accumulate = params.accumulate != 0;
    apart(x, rows_ * params.in, y.y, (last_row_only ? 1 : rows_) * params.out);
    stage.products.push_back(y);
  }

  void norm_mat_mul() {
    const auto params = command_->get_params<NormMatMulParams>();
    using Slot = slot::NormMatMul;
    no_patch();
    epsilon(params.epsilon);
    flag(params.last_row_only);
    flag(params.fine_activations);
    const Weight w = weight(Slot::kWeight, params.weight_type, params.out, params.width);
    if (!problem_.empty()) return;
    const bool last_row_only = params.last_row_only != 0;
    const float* x = floats(Slot::kX, rows_ * params.width);
    const bool fine = is_quantized(w.type) && params.fine_activations != 0;
    auto& activations = add_activations(x, floats(Slot::kGain, params.width), params.width, params.epsilon,
                                        is_quantized(w.type));
    activations.last_row_only = last_row_only;
    activations.fine = fine;
    auto& stage = add_stage<ProductStage>();
    stage.fine = fine;
    stage.width = params.width;
    stage.last_row_only = last_row_only;
    Product y = product(w, params.out);
    y.y = output_floats(Slot::kY, (last_row_only ? 1 : rows_) * params.out);
    apart(x, rows_ * params.width, y.y, (last_row_only ? 1 : rows_) * params.out);
    stage.products.push_back(y);
  }

  void norm_qkv() {
    const auto params = command_->get_params<NormQkvParams>();
    using Slot = slot::NormQkv;
    no_patch();
    epsilon(params.epsilon);
    flag(params.fine_activations);
    const Weight weights[3] = {weight(Slot::kWq, params.q_type, params.q_out, params.width),
                               weight(Slot::kWk, params.k_type, params.kv_out, params.width),
                               weight(Slot::kWv, params.v_type, params.kv_out, params.width)};
    if (!problem_.empty()) return;
    const bool quantize =
        is_quantized(weights[0].type) || is_quantized(weights[1].type) || is_quantized(weights[2].type);
    const float* x = floats(Slot::kX, rows_ * params.width);
    const bool fine = quantize && params.fine_activations != 0;
    add_activations(x, floats(Slot::kGain, params.width), params.width, params.epsilon, quantize).fine = fine;
    auto& stage = add_stage<ProductStage>();
    stage.fine = fine;
    stage.width = params.width;
    for (int i = 0; i < 3; ++i) {
      const std::uint32_t out = i == 0 ? params.q_out : params.kv_out;
      Product y = product(weights[i], out);
      y.bias = optional_floats(Slot::kBq + i, out);
      y.y = output_floats(Slot::kQ + i, rows_ * out);
      apart(x, rows_ * params.width, y.y, rows_ * out);
      stage.products.push_back(y);
    }
  }

  void norm_gate_up() {
    const auto params = command_->get_params<NormGateUpParams>();
    using Slot = slot::NormGateUp;
    no_patch();
    epsilon(params.epsilon);
    const Weight gate = weight(Slot::kWGate, params.gate_type, params.hidden, params.width);
    const Weight up = weight(Slot::kWUp, params.up_type, params.hidden, params.width);
    if (!problem_.empty()) return;
    const float* x = floats(Slot::kX, rows_ * params.width);
    add_activations(x, floats(Slot::kGain, params.width), params.width, params.epsilon,
                    is_quantized(gate.type) || is_quantized(up.type));
    auto& stage = add_stage<GateUpStage>();
    stage.kernels = &kernels_;
    stage.gate = product(gate, params.hidden);
    stage.up = product(up, params.hidden);
    stage.width = params.width;
    stage.out = output_floats(Slot::kOut, rows_ * params.hidden);
    apart(x, rows_ * params.width, stage.out, rows_ * params.hidden);
  }

  // What rope and attention share. False when the shape is wrong. `params` is a RopeKvWriteParams, an
  // AttentionParams or a RopeAttentionParams.
  template <typename Params>
  bool heads(const Params& params) {
    if (!extent(params.query_heads) || !extent(params.kv_heads) || !extent(params.head_width) ||
        !extent(params.context) || !extent(std::uint64_t{params.query_heads} * params.head_width)) {
      return false;
    }
    require(params.query_heads % params.kv_heads == 0,
            "the query heads are no multiple of the key/value heads");
    return problem_.empty();
  }
  template <typename Params>
  static HeadShape head_shape(const Params& params, bool from_step) {
    return {params.query_heads, params.kv_heads, params.head_width, from_step, params.position};
  }
  // The keys or values of a cache: page 0, and the pages behind it as the buffer grows.
  KvPlane plane(int slot, std::uint64_t page_bytes, Access access) {
    const Binding& binding = command_->bindings[static_cast<std::size_t>(slot)];
    KvPlane plane;
    plane.data = bytes(slot, page_bytes, sizeof(std::uint16_t), access, Room::kAsItGrows);
    plane.end = binding.offset + page_bytes;
    plane.usable = buffers_.view(binding.buffer).usable;
    return plane;
  }
  // Ids of the pages that `plane` may come to hold lie below this.
  std::uint32_t page_limit(int slot, const KvPlane& plane, std::uint32_t page_stride) const {
    const Binding& binding = command_->bindings[static_cast<std::size_t>(slot)];
    const std::uint64_t rest = buffers_.view(binding.buffer).most - plane.end;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(rest / page_stride, kMaxExtent)) + 1;
  }
  // Which of its pages a table names is checked as it is read.
  template <typename Params>
  KvPages cache(const Params& params, int keys, int values, int table, Access access) {
    const std::uint64_t page = kv_page_bytes(params.kv_heads, params.head_width);
    require(params.page_stride >= page && params.page_stride % sizeof(std::uint16_t) == 0,
            "the pages of the cache overlap or are not aligned");
    KvPages pages;
    pages.head_width = params.head_width;
    pages.page_stride = params.page_stride;
    pages.keys = plane(keys, page, access);
    pages.values = plane(values, page, access);
    pages.table = reinterpret_cast<const std::uint32_t*>(bytes(
        table, kv_page_count(params.context) * sizeof(std::uint32_t), sizeof(std::uint32_t), Access::kRead));
    if (!problem_.empty()) return pages;
    pages.pages = std::min(page_limit(keys, pages.keys, params.page_stride),
                           page_limit(values, pages.values, params.page_stride));
    return pages;
  }
  void limit_position(bool from_step, std::uint32_t position, std::uint32_t context) {
    if (from_step) {
      plan_.position_limit = std::min<std::uint64_t>(plan_.position_limit, context);
    } else {
      require(std::uint64_t{position} + rows_ <= context, "the position is outside the cache");
    }
  }
  void limit_steps(std::uint64_t capacity) {
    plan_.step_rows_limit = std::min(plan_.step_rows_limit, capacity);
  }

  const RopeAngleStage* find_angles(float theta, std::uint32_t rotary_width, const HeadShape& heads) {
    const std::uint32_t position = heads.position_from_step ? 0 : heads.position;
    for (const auto& stage : angles_) {
      if (stage->theta == theta && stage->rotary_width == rotary_width &&
          stage->offset_by_step == heads.position_from_step && stage->position == position) {
        return stage.get();
      }
    }
    auto stage = std::make_unique<RopeAngleStage>();
    stage->rotary_width = rotary_width;
    stage->theta = theta;
    stage->offset_by_step = heads.position_from_step;
    stage->position = position;
    for (std::uint32_t i = 0; i < rotary_width / 2; ++i) {
      stage->frequencies.push_back(std::pow(double{theta}, -2.0 * i / rotary_width));
    }
    stage->angles = std::make_unique<float[]>(rows_ * rotary_width);
    angles_.push_back(std::move(stage));
    return angles_.back().get();
  }
  template <typename Params>
  Rotation rotation(const Params& params, const HeadShape& heads) {
    require(params.rotary_width <= params.head_width && params.rotary_width % 2 == 0,
            "the rotary width is odd or wider than a head");
    require(params.style <= 1, "there is no such rotary style");
    require(std::isfinite(params.theta) && params.theta > 0.0f, "the rotary base is not positive");
    if (!problem_.empty()) return {};
    return {find_angles(params.theta, params.rotary_width, heads), params.style, params.head_width};
  }
  template <typename Slot, typename Params>
  RopeStage& add_rope(const Params& params, const HeadShape& heads) {
    auto& stage = add_stage<RopeStage>();
    stage.rows.kernels = &kernels_;
    stage.rows.heads = heads;
    stage.rows.rotation = rotation(params, heads);
    stage.rows.k = floats(Slot::kK, rows_ * heads.kv_width());
    stage.rows.v = floats(Slot::kV, rows_ * heads.kv_width());
    stage.rows.cache = cache(params, Slot::kKeyCache, Slot::kValueCache, Slot::kPages, Access::kWrite);
    need_attention(AttentionStage::needs(heads, params.context, rows_));
    return stage;
  }
  template <typename Slot, typename Params>
  AttentionStage& add_attention(const Params& params, const HeadShape& heads) {
    require(std::isfinite(params.scale), "the scale is not finite");
    auto& stage = add_stage<AttentionStage>();
    stage.kernels = &kernels_;
    stage.heads = heads;
    stage.scale = params.scale;
    stage.q = floats(Slot::kQ, rows_ * heads.query_width());
    stage.cache = cache(params, Slot::kKeyCache, Slot::kValueCache, Slot::kPages, Access::kRead);
    stage.out = output_floats(Slot::kOut, rows_ * heads.query_width());
    apart(stage.q, rows_ * heads.query_width(), stage.out, rows_ * heads.query_width());
    const AttentionNeeds needs = AttentionStage::needs(heads, params.context, rows_);
    stage.partials = needs.partials;
    need_attention(needs);
    return stage;
  }
  void need_attention(const AttentionNeeds& needs) {
    plan_.needs.attention = larger(plan_.needs.attention, needs);
  }

  void rope_kv_write() {
    const auto params = command_->get_params<RopeKvWriteParams>();
    using Slot = slot::RopeKvWrite;
    const bool from_step = patch(Patch::kPosition, offsetof(RopeKvWriteParams, position));
    if (!heads(params)) return;
    limit_position(from_step, params.position, params.context);
    const HeadShape shape = head_shape(params, from_step);
    add_rope<Slot>(params, shape).q = output_floats(Slot::kQ, rows_ * shape.query_width());
  }

  void attention() {
    const auto params = command_->get_params<AttentionParams>();
    const bool from_step = patch(Patch::kPositionAndKv, offsetof(AttentionParams, position),
                                 offsetof(AttentionParams, kv_length));
    if (!heads(params)) return;
    limit_position(from_step, params.position, params.context);
    add_attention<slot::Attention>(params, head_shape(params, from_step));
  }

  void rope_attention() {
    const auto params = command_->get_params<RopeAttentionParams>();
    using Slot = slot::RopeAttention;
    const bool from_step = patch(Patch::kPositionAndKv, offsetof(RopeAttentionParams, position),
                                 offsetof(RopeAttentionParams, kv_length));
    if (!heads(params)) return;
    limit_position(from_step, params.position, params.context);
    const HeadShape shape = head_shape(params, from_step);
    RopeStage& rope = add_rope<Slot>(params, shape);
    AttentionStage& attention = add_attention<Slot>(params, shape);
    attention.rotation = rope.rows.rotation;
    attention.rows = &rope.rows;
    rope.attention = &attention;
    apart(rope.rows.k, rows_ * shape.kv_width(), attention.out, rows_ * shape.query_width());
    apart(rope.rows.v, rows_ * shape.kv_width(), attention.out, rows_ * shape.query_width());
  }

  void swi_glu() {
    const auto params = command_->get_params<SwiGluParams>();
    using Slot = slot::SwiGlu;
    no_patch();
    if (!extent(params.width)) return;
    auto& stage = add_stage<SwiGluStage>();
    stage.kernels = &kernels_;
    stage.gate = floats(Slot::kGate, rows_ * params.width);
    stage.up = floats(Slot::kUp, rows_ * params.width);
    stage.width = params.width;
    stage.out = output_floats(Slot::kOut, rows_ * params.width);
  }

  void argmax() {
    const auto params = command_->get_params<ArgmaxParams>();
    using Slot = slot::Argmax;
    flag(params.last_row_only);
    if (!extent(params.vocabulary)) return;
    const std::uint64_t rows = params.last_row_only != 0 ? 1 : rows_;
    auto& scan = add_stage<LogitsScanStage>();
    scan.logits = floats(Slot::kLogits, rows * params.vocabulary);
    scan.last_row_only = params.last_row_only != 0;
    add_argmax(scan, params.vocabulary, rows);
  }

  void norm_argmax() {
    const auto params = command_->get_params<NormArgmaxParams>();
    using Slot = slot::NormArgmax;
    epsilon(params.epsilon);
    flag(params.fine_activations);
    const Weight w = weight(Slot::kWeight, params.weight_type, params.vocabulary, params.width);
    if (!problem_.empty()) return;
    const bool quantized = is_quantized(w.type);
    auto& activations =
        add_activations(floats(Slot::kX, rows_ * params.width), floats(Slot::kGain, params.width),
                        params.width, params.epsilon, quantized);
    activations.fine = quantized && params.fine_activations != 0;
    auto& scan = add_stage<OutputScanStage>();
    scan.output = product(w, params.vocabulary);
    scan.width = params.width;
    scan.fine = activations.fine;
    plan_.needs.logits = std::max<std::size_t>(plan_.needs.logits, rows_ * ScanStage::kPiece);
    add_argmax(scan, params.vocabulary, rows_);
  }

  // The second half of argmax, and what both halves share; slots and patch are those of kArgmax.
  void add_argmax(ScanStage& scan, std::uint32_t vocabulary, std::uint64_t rows) {
    using Slot = slot::Argmax;
    static_assert(int{Slot::kTokens} == slot::NormArgmax::kTokens &&
                  int{Slot::kLogProbs} == slot::NormArgmax::kLogProbs);
    const bool offset_by_step = patch(Patch::kArgmaxOutput);
    scan.kernels = &kernels_;
    scan.vocabulary = vocabulary;
    scan.scans = std::make_unique<LogitsScan[]>(rows * scan.pieces());
    auto& stage = add_stage<ArgmaxStage>();
    stage.scan = &scan;
    stage.offset_by_step = offset_by_step;
    const std::uint64_t tokens = rows + (offset_by_step ? 1 : 0);
    stage.tokens = reinterpret_cast<std::uint32_t*>(
        bytes(Slot::kTokens, tokens * sizeof(std::uint32_t), sizeof(std::uint32_t), Access::kWrite));
    stage.log_probs = output_floats(Slot::kLogProbs, rows);
    if (!problem_.empty()) return;
    plan_.has_argmax = true;
    if (offset_by_step) {
      limit_steps(capacity(Slot::kTokens, sizeof(std::uint32_t)) - 1);
      limit_steps(capacity(Slot::kLogProbs, sizeof(float)));
    }
  }

  const DispatchTable& table_;
  const BufferTable& buffers_;
  const Kernels& kernels_;
  const bool fused_;
  std::uint64_t rows_ = 1;  // of the largest batch
  std::size_t index_ = 0;
  const Command* command_ = nullptr;
  std::string problem_;
  Plan plan_;
  std::vector<std::unique_ptr<RopeAngleStage>> angles_;
};

}  // namespace

Result<Plan> compile_plan(const DispatchTable& table, const BufferTable& buffers, const Kernels& kernels,
                          bool fused) {
  try {
    return PlanBuilder(table, buffers, kernels, fused).build();
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kOutOfMemory, "There is no memory to prepare the model for this device.");
  }
}

}  // namespace emberline
