// Writes commands one behind the other, and what all parts of a layer have in common: products, and norms of
// the residual stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "device/dispatch_table.h"
#include "gguf/tensor_type.h"
#include "model/table_plan.h"

namespace emberline {

struct LayerWeights;
struct Weight;

using Slots = std::initializer_list<std::pair<int, Binding>>;

// The products whose rounded activations cost most accuracy for the arithmetic they hold: with 8 bits
// throughout, the embedded model's mean divergence from float32 is 2.9e-3, to which query, key and value add
// 0.9e-3 and the output matrix 0.6e-3, with a third of the weights between them; gate and up add 0.7e-3 and
// down 0.6e-3, with two thirds. In front of a router attention's output is one of them, too: what 8 bits
// leave of it decides between experts that are nearly level (bench/README.md).
inline constexpr bool kFine = true;

inline std::uint32_t id(TensorType type) {
  return static_cast<std::uint32_t>(type);
}

class TableWriter {
 public:
  // `plan` outlives the writer.
  TableWriter(const TablePlan& plan, std::uint32_t max_rows) : plan_(plan) { table_.max_rows = max_rows; }

  const TablePlan& plan() const { return plan_; }
  Binding weight(const Weight& weight) const;
  bool offers(Op op) const;

  // What labels begin with from here on.
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }

  template <typename Params>
  Command& add(Op op, const char* label, Slots slots, const Params& params, Patch patch = Patch::kNone) {
    Command& command = table_.commands.emplace_back();
    command.op = op;
    command.patch = patch;
    for (const auto& [slot, binding] : slots) command.bindings[static_cast<std::size_t>(slot)] = binding;
    command.set_params(params);
    table_.labels.push_back(prefix_ + label);
    return command;
  }

  struct Product {
    Binding x;
    std::uint32_t in;
    const Weight& weight;
    const Weight* bias = nullptr;  // null: none
    Binding y = {};
    std::uint32_t out;
    bool fine_activations = false;
    bool accumulate = false;
    bool last_row_only = false;
  };
  void mat_mul(const char* label, const Product& product);

  // The residual stream is kept in units of what is added to it, so that nothing has to be scaled on its way
  // there: norms give the same of it where their epsilon, too, is in these units.
  float stream_epsilon() const;
  // Of the residual stream.
  void norm(const char* label, const Weight& gain, const Weight& bias);
  // Whether ops may be offered that begin with one.
  bool has_rms_norms() const;
  bool begins_with_rms_norm(const Weight& gain) const;

  // What attention and the feed-forward part read: the stream, normed where the architecture says so.
  Binding part_input(const char* label, const Weight& gain, const Weight& bias);
  // Where the residual stream is.
  Binding residual() const;
  // What has still to be added to the stream is, behind a norm of its own.
  struct Addition {
    const char* label;
    Binding added;
    const Weight& gain;
  };
  bool is_waiting() const { return waiting_.has_value(); }
  // By a fused op with these slots for it; the stream is where the sum is from then on.
  void add_waiting_by(Command& command, int added, int added_gain, int sum);
  // By a command of its own, where something is waiting.
  void add_waiting();

  // What they add to the stream: at once, or in front of the norm that comes next.
  void part_output(const char* label, Product product, const char* norm_label, const Weight& norm_behind);

  // Whether what norms behind give can wait for the next norm.
  bool additions_wait() const;

  DispatchTable take() && { return std::move(table_); }

 private:
  const TablePlan& plan_;
  DispatchTable table_;
  std::string prefix_;
  std::optional<Addition> waiting_;
  bool in_other_residual_ = false;
};

}  // namespace emberline
