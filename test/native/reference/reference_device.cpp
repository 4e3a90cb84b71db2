#include "reference/reference_device.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/half.h"
#include "device/deferred_device.h"
#include "device/gate_reference.h"

namespace emberline::testing {
namespace {

// Thrown and caught inside this file alone: an access outside a buffer, or a value the contract forbids.
struct Fault {
  Status status;
};

[[noreturn]] void fail(ErrorCode code, const std::string& message) {
  throw Fault{Status(code, message)};
}

using Row = std::vector<double>;
using Rows = std::shared_ptr<const std::vector<Row>>;

// Some rows of a matrix of a buffer: where they begin, their type, number and width.
using RowsKey = std::tuple<std::uint64_t, std::uint32_t, std::size_t, std::size_t>;

struct Buffer {
  std::vector<std::uint8_t> owned;
  std::span<const std::uint8_t> bytes;
  bool writable = false;
  std::size_t most = 0;  // what `owned` may grow to
  // Of what cannot be written: every forward pass asks for the same rows, and widening them would take most
  // of it.
  std::map<RowsKey, Rows> widened;
  std::size_t widened_elements = 0;
};

// More elements of a buffer are widened anew each time: 128 MiB of them.
constexpr std::size_t kMostWidened = std::size_t{1} << 24;

class ReferenceDevice final : public DeferredDevice {
 public:
  const char* name() const override { return "reference"; }
  std::string description() const override { return "reference, double precision, 1 thread"; }
  bool offers(Op op, std::uint32_t) const override { return is_basic(op) || op == Op::kExperts; }

  Result<BufferId> allocate(std::size_t bytes) override {
    if (bytes > (std::size_t{1} << 32)) return Status(ErrorCode::kOutOfMemory, "too large for a test");
    Buffer buffer;
    buffer.owned.resize(bytes);
    buffer.bytes = buffer.owned;
    buffer.writable = true;
    return add(std::move(buffer));
  }
  Result<BufferId> reserve(std::size_t most) override {
    Buffer buffer;
    buffer.most = most;
    buffer.writable = true;
    return add(std::move(buffer));
  }
  Status grow(BufferId id, std::size_t bytes) override {
    return guarded([&] {
      const auto found = buffers_.find(id);
      if (found == buffers_.end() || bytes > found->second.most)
        fail(ErrorCode::kInvalidArgument, "more than was reserved");
      if (bytes > (std::size_t{1} << 32)) fail(ErrorCode::kOutOfMemory, "too large for a test");
      Buffer& buffer = found->second;
      buffer.owned.resize(std::max(buffer.owned.size(), bytes));
      buffer.bytes = buffer.owned;
    });
  }
  Result<LoadedMatrices> load_matrices(std::span<const MatrixSource> sources,
                                       const MatrixLoading& loading) override {
    Buffer buffer;
    LoadedMatrices loaded;
    for (const MatrixSource& source : sources) {
      const TensorTypeTraits& layout = traits(source.type);
      const std::size_t bytes =
          std::size_t{source.rows} * (source.columns / layout.block_elements) * layout.block_bytes;
      if (bytes > source.data.size()) return Status(ErrorCode::kInvalidArgument, "a source is too short");
      loaded.offsets.push_back(buffer.owned.size());
      buffer.owned.insert(buffer.owned.end(), source.data.begin(),
                          source.data.begin() + static_cast<std::ptrdiff_t>(bytes));
      buffer.owned.resize((buffer.owned.size() + 7) / 8 * 8);
      if (loading.consumed) loading.consumed(source.data);
    }
    buffer.bytes = buffer.owned;
    loaded.buffer = add(std::move(buffer));
    return loaded;
  }
  void release(BufferId id) override { buffers_.erase(id); }

  Status write(BufferId id, std::size_t offset, const void* data, std::size_t bytes) override {
    return guarded([&] {
      if (bytes > 0) std::memcpy(mutable_bytes({id, offset}, bytes), data, bytes);
    });
  }
  Status read(BufferId id, std::size_t offset, void* data, std::size_t bytes) override {
    return guarded([&] {
      const auto from = const_bytes({id, offset}, bytes);
      if (bytes > 0) std::memcpy(data, from.data(), bytes);
    });
  }
  Status copy(BufferId from, std::size_t from_offset, BufferId to, std::size_t to_offset,
              std::size_t bytes) override {
    return guarded([&] {
      const auto source = const_bytes({from, from_offset}, bytes);
      if (bytes > 0) std::memmove(mutable_bytes({to, to_offset}, bytes), source.data(), bytes);
    });
  }

  Status prepare(const DispatchTable&) override { return Status(); }

  Result<ReplayOutcome> run(const DispatchTable& table, const Replay& request) override {
    ReplayOutcome outcome;
    has_token_ = false;
    Status status = guarded([&] {
      for (step_ = 0; step_ < request.steps; ++step_) {
        rows_ = request.rows;
        position_ = request.position + step_;
        for (const Command& command : table.commands) {
          if (request.cancel != nullptr && request.cancel->load()) {
            outcome.cancelled = true;
            return;
          }
          run_command(command);
        }
        outcome.steps_completed = step_ + 1;
        if (has_token_ && request.stop.contains(last_token_)) {
          outcome.stopped = true;
          return;
        }
      }
    });
    if (!status.ok()) return status;
    return outcome;
  }

 private:
  BufferId add(Buffer buffer) {
    buffers_.emplace(next_id_, std::move(buffer));
    return next_id_++;
  }

  template <typename F>
  Status guarded(F body) {
    try {
      body();
      return Status();
    } catch (const Fault& fault) {
      return fault.status;
    }
  }

  std::span<const std::uint8_t> const_bytes(Binding at, std::size_t bytes) const {
    const auto found = buffers_.find(at.buffer);
    if (found == buffers_.end()) fail(ErrorCode::kInvalidArgument, "no such buffer");
    const auto all = found->second.bytes;
    if (at.offset > all.size() || bytes > all.size() - at.offset) {
      fail(ErrorCode::kInvalidArgument, "access outside the buffer");
    }
    return all.subspan(at.offset, bytes);
  }
  std::uint8_t* mutable_bytes(Binding at, std::size_t bytes) {
    const_bytes(at, bytes);
    Buffer& buffer = buffers_.at(at.buffer);
    if (!buffer.writable) fail(ErrorCode::kInvalidArgument, "the buffer is read-only");
    return buffer.owned.data() + at.offset;
  }

  Row load_row(Binding at, std::size_t row, std::size_t width) const {
    const auto bytes = const_bytes({at.buffer, at.offset + row * width * 4}, width * 4);
    std::vector<float> values(width);
    std::memcpy(values.data(), bytes.data(), width * 4);
    return Row(values.begin(), values.end());
  }
  void store_row(Binding at, std::size_t row, const Row& values) {
    std::vector<float> rounded(values.begin(), values.end());
    std::memcpy(mutable_bytes({at.buffer, at.offset + row * rounded.size() * 4}, rounded.size() * 4),
                rounded.data(), rounded.size() * 4);
  }
  // Where the cache keeps `position`: pages are [kKvPagePositions, kv_width] row-major here.
  template <typename Params>
  Binding cache_row(const Command& command, int slot, int pages_slot, const Params& params,
                    std::size_t position) const {
    if (position >= params.context) fail(ErrorCode::kInvalidArgument, "a position outside the cache");
    const Binding pages = command.bindings[static_cast<std::size_t>(pages_slot)];
    const std::size_t entry = position / kKvPagePositions;
    std::uint32_t page;
    std::memcpy(&page, const_bytes({pages.buffer, pages.offset + 4 * entry}, 4).data(), 4);
    Binding at = command.bindings[static_cast<std::size_t>(slot)];
    at.offset += std::uint64_t{page} * params.page_stride +
                 position % kKvPagePositions * params.kv_heads * params.head_width * 2;
    return at;
  }
  Row load_half_row(Binding at, std::size_t width) const {
    const auto bytes = const_bytes(at, width * 2);
    Row values(width);
    for (std::size_t i = 0; i < width; ++i) {
      std::uint16_t half;
      std::memcpy(&half, bytes.data() + 2 * i, 2);
      values[i] = f16_to_f32(half);
    }
    return values;
  }
  void store_half_row(Binding at, const Row& values) {
    std::uint8_t* to = mutable_bytes(at, values.size() * 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint16_t half = f32_to_f16(static_cast<float>(values[i]));
      std::memcpy(to + 2 * i, &half, 2);
    }
  }
  static std::size_t row_bytes(std::uint32_t type_id, std::size_t width) {
    const TensorTypeTraits* layout = tensor_type_traits(type_id);
    if (layout == nullptr || width % layout->block_elements != 0) {
      fail(ErrorCode::kInvalidArgument, "no such weight row");
    }
    return width / layout->block_elements * layout->block_bytes;
  }
  Row weight_row(Binding at, std::uint32_t type_id, std::size_t row, std::size_t width) const {
    const std::size_t bytes = row_bytes(type_id, width);
    return widen_row(static_cast<TensorType>(type_id),
                     const_bytes({at.buffer, at.offset + row * bytes}, bytes), 0, width);
  }

  // Rows [first, first + count) of a matrix.
  Rows weight_rows(Binding at, std::uint32_t type, std::size_t first, std::size_t count, std::size_t width) {
    at.offset += first * row_bytes(type, width);
    const auto found = buffers_.find(at.buffer);
    if (found == buffers_.end()) fail(ErrorCode::kInvalidArgument, "no such buffer");
    Buffer& buffer = found->second;
    const RowsKey key(at.offset, type, count, width);
    if (const auto kept = buffer.widened.find(key); kept != buffer.widened.end()) return kept->second;
    std::vector<Row> rows;
    for (std::size_t i = 0; i < count; ++i) rows.push_back(weight_row(at, type, i, width));
    Rows made = std::make_shared<const std::vector<Row>>(std::move(rows));
    if (!buffer.writable && buffer.widened_elements + count * width <= kMostWidened) {
      buffer.widened_elements += count * width;
      buffer.widened.emplace(key, made);
    }
    return made;
  }

  void run_command(const Command& command) {
    switch (command.op) {
      case Op::kEmbedding: return embedding(command);
      case Op::kRmsNorm: return rms_norm(command);
      case Op::kMatMul: return mat_mul(command);
      case Op::kRopeKvWrite: return rope_kv_write(command);
      case Op::kAttention: return attention(command);
      case Op::kGatedUnit: return gated_unit(command);
      case Op::kArgmax: return argmax(command);
      case Op::kExperts: return experts(command);
      case Op::kSoftCap: return soft_cap(command);
      default: fail(ErrorCode::kInvalidArgument, "the reference offers the basic ops only");
    }
  }

  void embedding(const Command& command) {
    const auto params = command.get_params<EmbeddingParams>();
    Binding tokens = command.bindings[slot::Embedding::kTokens];
    tokens.offset += std::uint64_t{4} * (command.patch == Patch::kTokenOffset ? position_ : params.position);
    for (std::size_t r = 0; r < rows_; ++r) {
      std::uint32_t token;
      std::memcpy(&token, const_bytes({tokens.buffer, tokens.offset + 4 * r}, 4).data(), 4);
      if (token >= params.vocabulary) fail(ErrorCode::kInvalidArgument, "a token outside the vocabulary");
      Row row =
          weight_row(command.bindings[slot::Embedding::kTable], params.weight_type, token, params.width);
      for (double& value : row) value *= params.scale;
      store_row(command.bindings[slot::Embedding::kOut], r, row);
    }
  }

  void rms_norm(const Command& command) {
    const auto params = command.get_params<RmsNormParams>();
    const Row gain = load_row(command.bindings[slot::RmsNorm::kGain], 0, params.width);
    const Binding bias_at = command.bindings[slot::RmsNorm::kBias];
    const Row bias =
        bias_at.buffer == kNoBuffer ? Row(params.width, 0.0) : load_row(bias_at, 0, params.width);
    for (std::size_t r = 0; r < rows_ * params.parts; ++r) {
      Row x = load_row(command.bindings[slot::RmsNorm::kX], r, params.width);
      if (params.centered != 0) {
        double mean = 0;
        for (double value : x) mean += value / params.width;
        for (double& value : x) value -= mean;
      }
      double squares = 0;
      for (double value : x) squares += value * value;
      const double scale = 1.0 / std::sqrt(squares / params.width + params.epsilon);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] * scale * gain[i] + bias[i];
      if (params.accumulate != 0) {
        const Binding addend = command.bindings[slot::RmsNorm::kAddend];
        const Row before = load_row(
            addend.buffer != kNoBuffer ? addend : command.bindings[slot::RmsNorm::kOut], r, params.width);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += before[i];
      }
      store_row(command.bindings[slot::RmsNorm::kOut], r, x);
    }
  }

  void mat_mul(const Command& command) {
    const auto params = command.get_params<MatMulParams>();
    const Binding bias_at = command.bindings[slot::MatMul::kBias];
    const Row bias = bias_at.buffer == kNoBuffer ? Row(params.out, 0.0) : load_row(bias_at, 0, params.out);
    const Rows rows =
        weight_rows(command.bindings[slot::MatMul::kWeight], params.weight_type, 0, params.out, params.in);
    const std::vector<Row>& weight = *rows;
    for (std::size_t r = params.last_row_only != 0 ? rows_ - 1 : 0; r < rows_; ++r) {
      const std::size_t to = params.last_row_only != 0 ? 0 : r;
      const Row x = load_row(command.bindings[slot::MatMul::kX], r, params.in);
      Row y = params.accumulate != 0 ? load_row(command.bindings[slot::MatMul::kY], to, params.out)
                                     : Row(params.out, 0.0);
      for (std::size_t o = 0; o < params.out; ++o) {
        double sum = bias[o];
        for (std::size_t i = 0; i < params.in; ++i) sum += weight[o][i] * x[i];
        y[o] += sum;
      }
      store_row(command.bindings[slot::MatMul::kY], to, y);
    }
  }

  static void rotate(Row& row, const RopeKvWriteParams& params, const Row& factors, double position) {
    const std::size_t half = params.rotary_width / 2;
    for (std::size_t head = 0; head < row.size() / params.head_width; ++head) {
      double* x = row.data() + head * params.head_width;
      for (std::size_t i = 0; i < half; ++i) {
        const double angle =
            position * std::pow(double{params.theta}, -2.0 * static_cast<double>(i) / params.rotary_width) /
            factors[i];
        double& a = x[params.style == 0 ? 2 * i : i];
        double& b = x[params.style == 0 ? 2 * i + 1 : i + half];
        const double rotated_a = a * std::cos(angle) - b * std::sin(angle);
        b = a * std::sin(angle) + b * std::cos(angle);
        a = rotated_a;
      }
    }
  }

  void rope_kv_write(const Command& command) {
    const auto params = command.get_params<RopeKvWriteParams>();
    const std::size_t base = command.patch == Patch::kPosition ? position_ : params.position;
    const std::size_t kv_width = std::size_t{params.kv_heads} * params.head_width;
    const Binding factors_at = command.bindings[slot::RopeKvWrite::kFactors];
    const Row factors = factors_at.buffer == kNoBuffer ? Row(params.rotary_width / 2, 1.0)
                                                       : load_row(factors_at, 0, params.rotary_width / 2);
    for (std::size_t r = 0; r < rows_; ++r) {
      Row q = load_row(command.bindings[slot::RopeKvWrite::kQ], r,
                       std::size_t{params.query_heads} * params.head_width);
      Row k = load_row(command.bindings[slot::RopeKvWrite::kK], r, kv_width);
      rotate(q, params, factors, static_cast<double>(base + r));
      rotate(k, params, factors, static_cast<double>(base + r));
      store_row(command.bindings[slot::RopeKvWrite::kQ], r, q);
      using Slot = slot::RopeKvWrite;
      store_half_row(cache_row(command, Slot::kKeyCache, Slot::kPages, params, base + r), k);
      store_half_row(cache_row(command, Slot::kValueCache, Slot::kPages, params, base + r),
                     load_row(command.bindings[Slot::kV], r, kv_width));
    }
  }

  void attention(const Command& command) {
    const auto params = command.get_params<AttentionParams>();
    const std::size_t base = command.patch == Patch::kPositionAndKv ? position_ : params.position;
    const std::size_t d = params.head_width;
    const std::size_t kv_width = params.kv_heads * d;
    using Slot = slot::Attention;
    std::vector<Row> keys, values;
    for (std::size_t j = 0; j < base + rows_; ++j) {
      keys.push_back(load_half_row(cache_row(command, Slot::kKeyCache, Slot::kPages, params, j), kv_width));
      values.push_back(
          load_half_row(cache_row(command, Slot::kValueCache, Slot::kPages, params, j), kv_width));
    }
    for (std::size_t r = 0; r < rows_; ++r) {
      const Row q = load_row(command.bindings[slot::Attention::kQ], r, params.query_heads * d);
      Row out(q.size(), 0.0);
      const std::size_t length = base + r + 1;
      const std::size_t first = params.window == 0 || length <= params.window ? 0 : length - params.window;
      for (std::size_t head = 0; head < params.query_heads; ++head) {
        const std::size_t kv_head = head / (params.query_heads / params.kv_heads);
        Row weights(length);
        double largest = -std::numeric_limits<double>::infinity();
        for (std::size_t j = first; j < length; ++j) {
          for (std::size_t i = 0; i < d; ++i) weights[j] += q[head * d + i] * keys[j][kv_head * d + i];
          weights[j] *= params.scale;
          if (params.soft_cap != 0.0f) weights[j] = params.soft_cap * std::tanh(weights[j] / params.soft_cap);
          largest = std::max(largest, weights[j]);
        }
        double total = 0;
        for (std::size_t j = first; j < length; ++j) total += weights[j] = std::exp(weights[j] - largest);
        for (std::size_t j = first; j < length; ++j) {
          for (std::size_t i = 0; i < d; ++i)
            out[head * d + i] += weights[j] / total * values[j][kv_head * d + i];
        }
      }
      store_row(command.bindings[slot::Attention::kOut], r, out);
    }
  }

  void gated_unit(const Command& command) {
    const auto params = command.get_params<GatedUnitParams>();
    for (std::size_t r = 0; r < rows_; ++r) {
      Row gate = load_row(command.bindings[slot::GatedUnit::kGate], r, params.width);
      const Binding up_at = command.bindings[slot::GatedUnit::kUp];
      const Row up = up_at.buffer == kNoBuffer ? Row(params.width, 1.0) : load_row(up_at, r, params.width);
      for (std::size_t i = 0; i < gate.size(); ++i)
        gate[i] = gate_reference(gate[i], params.activation) * up[i];
      store_row(command.bindings[slot::GatedUnit::kOut], r, gate);
    }
  }

  void soft_cap(const Command& command) {
    const auto params = command.get_params<SoftCapParams>();
    for (std::size_t r = 0; r < (params.last_row_only != 0 ? 1 : rows_); ++r) {
      Row x = load_row(command.bindings[slot::SoftCap::kX], r, params.width);
      for (double& value : x) value = params.cap * std::tanh(value / params.cap);
      store_row(command.bindings[slot::SoftCap::kX], r, x);
    }
  }

  void argmax(const Command& command) {
    const auto params = command.get_params<ArgmaxParams>();
    Binding tokens = command.bindings[slot::Argmax::kTokens];
    Binding log_probs = command.bindings[slot::Argmax::kLogProbs];
    const std::size_t base = command.patch == Patch::kArgmaxOutput ? position_ : params.position;
    tokens.offset += std::uint64_t{4} * (base + 1);
    log_probs.offset += std::uint64_t{4} * (base + 1);
    for (std::size_t r = 0; r < (params.last_row_only != 0 ? 1 : rows_); ++r) {
      const Row logits = load_row(command.bindings[slot::Argmax::kLogits], r, params.vocabulary);
      std::uint32_t best = 0;
      for (std::uint32_t i = 0; i < params.vocabulary; ++i) {
        if (!std::isfinite(logits[i])) fail(ErrorCode::kLogitsNotFinite, "a logit is not finite");
        if (logits[i] > logits[best]) best = i;
      }
      double total = 0;
      for (double logit : logits) total += std::exp(logit - logits[best]);
      const float log_prob = static_cast<float>(-std::log(total));
      std::memcpy(mutable_bytes({tokens.buffer, tokens.offset + 4 * r}, 4), &best, 4);
      std::memcpy(mutable_bytes({log_probs.buffer, log_probs.offset + 4 * r}, 4), &log_prob, 4);
      last_token_ = best;
      has_token_ = true;
    }
  }

  // The indices of the `used` largest of `logits`, of equal ones the first.
  static std::vector<std::size_t> likeliest(const Row& logits, std::size_t used) {
    std::vector<std::size_t> order(logits.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
    order.resize(used);
    return order;
  }

  static Row product(const std::vector<Row>& weight, const Row& x) {
    Row y(weight.size(), 0.0);
    for (std::size_t o = 0; o < y.size(); ++o) {
      for (std::size_t i = 0; i < x.size(); ++i) y[o] += weight[o][i] * x[i];
    }
    return y;
  }

  // Expert by expert: each widens its matrices once, however many rows chose it.
  void experts(const Command& command) {
    using Slot = slot::Experts;
    const auto params = command.get_params<ExpertsParams>();
    std::vector<Row> outs;
    for (std::size_t r = 0; r < rows_; ++r)
      outs.push_back(load_row(command.bindings[Slot::kOut], r, params.width));
    for (std::size_t e = 0; e < params.experts; ++e) {
      Rows gate, up, down;
      for (std::size_t r = 0; r < rows_; ++r) {
        const Row logits = load_row(command.bindings[Slot::kLogits], r, params.experts);
        const std::vector<std::size_t> chosen = likeliest(logits, params.used);
        if (std::find(chosen.begin(), chosen.end(), e) == chosen.end()) continue;
        if (gate == nullptr) {
          gate = weight_rows(command.bindings[Slot::kWGate], params.gate_type, e * params.hidden,
                             params.hidden, params.width);
          up = weight_rows(command.bindings[Slot::kWUp], params.up_type, e * params.hidden, params.hidden,
                           params.width);
          down = weight_rows(command.bindings[Slot::kWDown], params.down_type, e * params.width, params.width,
                             params.hidden);
        }
        double total = 0;
        if (params.weighting == kSoftmaxOfAll) {
          for (const double logit : logits) total += std::exp(logit - logits[e]);
        } else {
          for (const std::size_t other : chosen) total += std::exp(logits[other] - logits[e]);
        }
        const Row x = load_row(command.bindings[Slot::kX], r, params.width);
        Row hidden = product(*gate, x);
        const Row multiplied = product(*up, x);
        for (std::size_t i = 0; i < hidden.size(); ++i)
          hidden[i] = gate_reference(hidden[i], params.activation) * multiplied[i];
        const Row added = product(*down, hidden);
        for (std::size_t i = 0; i < added.size(); ++i) outs[r][i] += params.scale / total * added[i];
      }
    }
    for (std::size_t r = 0; r < rows_; ++r) store_row(command.bindings[Slot::kOut], r, outs[r]);
  }

  std::map<BufferId, Buffer> buffers_;
  BufferId next_id_ = 1;
  std::size_t rows_ = 1, position_ = 0;
  std::uint32_t step_ = 0;
  std::uint32_t last_token_ = 0;
  bool has_token_ = false;
};

}  // namespace

std::unique_ptr<Device> make_reference_device() {
  return std::make_unique<ReferenceDevice>();
}

}  // namespace emberline::testing
