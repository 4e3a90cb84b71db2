#include "reference/reference_device.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>

#include "device/deferred_device.h"
#include "device/gate_reference.h"
#include "reference/reference_memory.h"

namespace emberline::testing {
namespace {

class ReferenceDevice final : public DeferredDevice {
 public:
  const char* name() const override { return "reference"; }
  std::string description() const override { return "reference, double precision, 1 thread"; }
  bool offers(Op op, std::uint32_t) const override { return is_basic(op) || op == Op::kExperts; }

  Result<BufferId> allocate(std::size_t bytes) override { return memory_.allocate(bytes); }
  Result<BufferId> reserve(std::size_t most) override { return memory_.reserve(most); }
  Status grow(BufferId id, std::size_t bytes) override {
    return guarded([&] { memory_.grow(id, bytes); });
  }
  Result<LoadedMatrices> load_matrices(std::span<const MatrixSource> sources,
                                       const MatrixLoading& loading) override {
    return memory_.load_matrices(sources, loading);
  }
  void release(BufferId id) override { memory_.release(id); }

  Status write(BufferId id, std::size_t offset, const void* data, std::size_t bytes) override {
    return guarded([&] {
      if (bytes > 0) std::memcpy(memory_.mutable_bytes({id, offset}, bytes), data, bytes);
    });
  }
  Status read(BufferId id, std::size_t offset, void* data, std::size_t bytes) override {
    return guarded([&] {
      const auto from = memory_.const_bytes({id, offset}, bytes);
      if (bytes > 0) std::memcpy(data, from.data(), bytes);
    });
  }
  Status copy(BufferId from, std::size_t from_offset, BufferId to, std::size_t to_offset,
              std::size_t bytes) override {
    return guarded([&] {
      const auto source = memory_.const_bytes({from, from_offset}, bytes);
      if (bytes > 0) std::memmove(memory_.mutable_bytes({to, to_offset}, bytes), source.data(), bytes);
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
  template <typename F>
  Status guarded(F body) {
    try {
      body();
      return Status();
    } catch (const Fault& fault) {
      return fault.status;
    }
  }

  // Where the cache keeps `position`: pages are [kKvPagePositions, kv_width] row-major here.
  template <typename Params>
  Binding cache_row(const Command& command, int slot, int pages_slot, const Params& params,
                    std::size_t position) const {
    if (position >= params.context) fail(ErrorCode::kInvalidArgument, "a position outside the cache");
    const Binding pages = command.bindings[static_cast<std::size_t>(pages_slot)];
    const std::size_t entry = position / kKvPagePositions;
    std::uint32_t page;
    std::memcpy(&page, memory_.const_bytes({pages.buffer, pages.offset + 4 * entry}, 4).data(), 4);
    Binding at = command.bindings[static_cast<std::size_t>(slot)];
    at.offset += std::uint64_t{page} * params.page_stride +
                 position % kKvPagePositions * params.kv_heads * params.head_width * 2;
    return at;
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
      std::memcpy(&token, memory_.const_bytes({tokens.buffer, tokens.offset + 4 * r}, 4).data(), 4);
      if (token >= params.vocabulary) fail(ErrorCode::kInvalidArgument, "a token outside the vocabulary");
      Row row = memory_.weight_row(command.bindings[slot::Embedding::kTable], params.weight_type, token,
                                   params.width);
      for (double& value : row) value *= params.scale;
      memory_.store_row(command.bindings[slot::Embedding::kOut], r, row);
    }
  }

  void rms_norm(const Command& command) {
    const auto params = command.get_params<RmsNormParams>();
    const Row gain = memory_.load_row(command.bindings[slot::RmsNorm::kGain], 0, params.width);
    const Binding bias_at = command.bindings[slot::RmsNorm::kBias];
    const Row bias =
        bias_at.buffer == kNoBuffer ? Row(params.width, 0.0) : memory_.load_row(bias_at, 0, params.width);
    for (std::size_t r = 0; r < rows_ * params.parts; ++r) {
      Row x = memory_.load_row(command.bindings[slot::RmsNorm::kX], r, params.width);
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
        const Row before = memory_.load_row(
            addend.buffer != kNoBuffer ? addend : command.bindings[slot::RmsNorm::kOut], r, params.width);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += before[i];
      }
      memory_.store_row(command.bindings[slot::RmsNorm::kOut], r, x);
    }
  }

  // Each element is summed up in the order of its row; several rows go side by side, because an addition
  // waits for the one before it.
  static Row product(const std::vector<Row>& weight, const Row& x) {
    constexpr std::size_t kRows = 4;
    Row y(weight.size(), 0.0);
    std::size_t o = 0;
    for (; o + kRows <= y.size(); o += kRows) {
      const double* const rows[kRows] = {weight[o].data(), weight[o + 1].data(), weight[o + 2].data(),
                                         weight[o + 3].data()};
      double sums[kRows] = {};
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t row = 0; row < kRows; ++row) sums[row] += rows[row][i] * x[i];
      }
      for (std::size_t row = 0; row < kRows; ++row) y[o + row] = sums[row];
    }
    for (; o < y.size(); ++o) {
      for (std::size_t i = 0; i < x.size(); ++i) y[o] += weight[o][i] * x[i];
    }
    return y;
  }

  void mat_mul(const Command& command) {
    const auto params = command.get_params<MatMulParams>();
    const Binding bias_at = command.bindings[slot::MatMul::kBias];
    const Row bias =
        bias_at.buffer == kNoBuffer ? Row(params.out, 0.0) : memory_.load_row(bias_at, 0, params.out);
    const Rows rows = memory_.weight_rows(command.bindings[slot::MatMul::kWeight], params.weight_type, 0,
                                          params.out, params.in);
    for (std::size_t r = params.last_row_only != 0 ? rows_ - 1 : 0; r < rows_; ++r) {
      const std::size_t to = params.last_row_only != 0 ? 0 : r;
      const Row x = memory_.load_row(command.bindings[slot::MatMul::kX], r, params.in);
      Row y = params.accumulate != 0 ? memory_.load_row(command.bindings[slot::MatMul::kY], to, params.out)
                                     : Row(params.out, 0.0);
      const Row multiplied = product(*rows, x);
      for (std::size_t o = 0; o < y.size(); ++o) y[o] += bias[o] + multiplied[o];
      memory_.store_row(command.bindings[slot::MatMul::kY], to, y);
    }
  }

  static void rotate(Row& row, const RopeKvWriteParams& params, const Row& factors, double position) {
    const std::size_t half = params.rotary_width / 2;
    for (std::size_t i = 0; i < half; ++i) {
      const double angle =
          position * std::pow(double{params.theta}, -2.0 * static_cast<double>(i) / params.rotary_width) /
          factors[i];
      const double cosine = std::cos(angle), sine = std::sin(angle);
      for (std::size_t head = 0; head < row.size() / params.head_width; ++head) {
        double* x = row.data() + head * params.head_width;
        double& a = x[params.style == 0 ? 2 * i : i];
        double& b = x[params.style == 0 ? 2 * i + 1 : i + half];
        const double rotated_a = a * cosine - b * sine;
        b = a * sine + b * cosine;
        a = rotated_a;
      }
    }
  }

  void rope_kv_write(const Command& command) {
    const auto params = command.get_params<RopeKvWriteParams>();
    const std::size_t base = command.patch == Patch::kPosition ? position_ : params.position;
    const std::size_t kv_width = std::size_t{params.kv_heads} * params.head_width;
    const Binding factors_at = command.bindings[slot::RopeKvWrite::kFactors];
    const Row factors = factors_at.buffer == kNoBuffer
                            ? Row(params.rotary_width / 2, 1.0)
                            : memory_.load_row(factors_at, 0, params.rotary_width / 2);
    for (std::size_t r = 0; r < rows_; ++r) {
      Row q = memory_.load_row(command.bindings[slot::RopeKvWrite::kQ], r,
                               std::size_t{params.query_heads} * params.head_width);
      Row k = memory_.load_row(command.bindings[slot::RopeKvWrite::kK], r, kv_width);
      rotate(q, params, factors, static_cast<double>(base + r));
      rotate(k, params, factors, static_cast<double>(base + r));
      memory_.store_row(command.bindings[slot::RopeKvWrite::kQ], r, q);
      using Slot = slot::RopeKvWrite;
      memory_.store_half_row(cache_row(command, Slot::kKeyCache, Slot::kPages, params, base + r), k);
      memory_.store_half_row(cache_row(command, Slot::kValueCache, Slot::kPages, params, base + r),
                             memory_.load_row(command.bindings[Slot::kV], r, kv_width));
    }
  }

  void attention(const Command& command) {
    const auto params = command.get_params<AttentionParams>();
    const std::size_t base = command.patch == Patch::kPosition ? position_ : params.position;
    const std::size_t d = params.head_width;
    const std::size_t kv_width = params.kv_heads * d;
    using Slot = slot::Attention;
    std::vector<Row> keys, values;
    for (std::size_t j = 0; j < base + rows_; ++j) {
      keys.push_back(
          memory_.load_half_row(cache_row(command, Slot::kKeyCache, Slot::kPages, params, j), kv_width));
      values.push_back(
          memory_.load_half_row(cache_row(command, Slot::kValueCache, Slot::kPages, params, j), kv_width));
    }
    for (std::size_t r = 0; r < rows_; ++r) {
      const Row q = memory_.load_row(command.bindings[slot::Attention::kQ], r, params.query_heads * d);
      Row out(q.size(), 0.0);
      const std::size_t length = base + r + 1;
      const std::size_t first = params.window == 0 || length <= params.window ? 0 : length - params.window;
      for (std::size_t head = 0; head < params.query_heads; ++head) {
        const std::size_t kv_head = head / (params.query_heads / params.kv_heads);
        Row weights(length);
        double largest = -std::numeric_limits<double>::infinity();
        for (std::size_t j = first; j < length; ++j) {
          double score = 0;
          for (std::size_t i = 0; i < d; ++i) score += q[head * d + i] * keys[j][kv_head * d + i];
          weights[j] = score * params.scale;
          if (params.soft_cap != 0.0f) weights[j] = params.soft_cap * std::tanh(weights[j] / params.soft_cap);
          largest = std::max(largest, weights[j]);
        }
        double total = 0;
        for (std::size_t j = first; j < length; ++j) total += weights[j] = std::exp(weights[j] - largest);
        for (std::size_t j = first; j < length; ++j) {
          const double weight = weights[j] / total;
          for (std::size_t i = 0; i < d; ++i) out[head * d + i] += weight * values[j][kv_head * d + i];
        }
      }
      memory_.store_row(command.bindings[slot::Attention::kOut], r, out);
    }
  }

  void gated_unit(const Command& command) {
    const auto params = command.get_params<GatedUnitParams>();
    for (std::size_t r = 0; r < rows_; ++r) {
      Row gate = memory_.load_row(command.bindings[slot::GatedUnit::kGate], r, params.width);
      const Binding up_at = command.bindings[slot::GatedUnit::kUp];
      const Row up =
          up_at.buffer == kNoBuffer ? Row(params.width, 1.0) : memory_.load_row(up_at, r, params.width);
      for (std::size_t i = 0; i < gate.size(); ++i)
        gate[i] = gate_reference(gate[i], params.activation) * up[i];
      memory_.store_row(command.bindings[slot::GatedUnit::kOut], r, gate);
    }
  }

  void soft_cap(const Command& command) {
    const auto params = command.get_params<SoftCapParams>();
    for (std::size_t r = 0; r < (params.last_row_only != 0 ? 1 : rows_); ++r) {
      Row x = memory_.load_row(command.bindings[slot::SoftCap::kX], r, params.width);
      for (double& value : x) value = params.cap * std::tanh(value / params.cap);
      memory_.store_row(command.bindings[slot::SoftCap::kX], r, x);
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
      const Row logits = memory_.load_row(command.bindings[slot::Argmax::kLogits], r, params.vocabulary);
      std::uint32_t best = 0;
      for (std::uint32_t i = 0; i < params.vocabulary; ++i) {
        if (!std::isfinite(logits[i])) fail(ErrorCode::kLogitsNotFinite, "a logit is not finite");
        if (logits[i] > logits[best]) best = i;
      }
      double total = 0;
      for (double logit : logits) total += std::exp(logit - logits[best]);
      const float log_prob = static_cast<float>(-std::log(total));
      std::memcpy(memory_.mutable_bytes({tokens.buffer, tokens.offset + 4 * r}, 4), &best, 4);
      std::memcpy(memory_.mutable_bytes({log_probs.buffer, log_probs.offset + 4 * r}, 4), &log_prob, 4);
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

  // Expert by expert: each widens its matrices once, however many rows chose it.
  void experts(const Command& command) {
    using Slot = slot::Experts;
    const auto params = command.get_params<ExpertsParams>();
    std::vector<Row> outs;
    for (std::size_t r = 0; r < rows_; ++r)
      outs.push_back(memory_.load_row(command.bindings[Slot::kOut], r, params.width));
    for (std::size_t e = 0; e < params.experts; ++e) {
      Rows gate, up, down;
      for (std::size_t r = 0; r < rows_; ++r) {
        const Row logits = memory_.load_row(command.bindings[Slot::kLogits], r, params.experts);
        const std::vector<std::size_t> chosen = likeliest(logits, params.used);
        if (std::find(chosen.begin(), chosen.end(), e) == chosen.end()) continue;
        if (gate == nullptr) {
          gate = memory_.weight_rows(command.bindings[Slot::kWGate], params.gate_type, e * params.hidden,
                                     params.hidden, params.width);
          up = memory_.weight_rows(command.bindings[Slot::kWUp], params.up_type, e * params.hidden,
                                   params.hidden, params.width);
          down = memory_.weight_rows(command.bindings[Slot::kWDown], params.down_type, e * params.width,
                                     params.width, params.hidden);
        }
        double total = 0;
        if (params.weighting == kSoftmaxOfAll) {
          for (const double logit : logits) total += std::exp(logit - logits[e]);
        } else {
          for (const std::size_t other : chosen) total += std::exp(logits[other] - logits[e]);
        }
        const Row x = memory_.load_row(command.bindings[Slot::kX], r, params.width);
        Row hidden = product(*gate, x);
        const Row multiplied = product(*up, x);
        for (std::size_t i = 0; i < hidden.size(); ++i)
          hidden[i] = gate_reference(hidden[i], params.activation) * multiplied[i];
        const Row added = product(*down, hidden);
        for (std::size_t i = 0; i < added.size(); ++i) outs[r][i] += params.scale / total * added[i];
      }
    }
    for (std::size_t r = 0; r < rows_; ++r) memory_.store_row(command.bindings[Slot::kOut], r, outs[r]);
  }

  ReferenceMemory memory_;
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
