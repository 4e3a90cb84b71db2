// The stages of a mixture of experts. As in stages.h, pointers have been checked.
//
// The pairs of a step, each a row with one of its experts, are put in the order of experts, and of rows where
// the expert is the same. So an expert meets all its rows at once, and reads its matrices once for them; the
// matrices of an expert that no row chose are not read. A row's experts come in the order of their indices
// whatever the batch, which makes its sum the same in any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "device/cpu/stage.h"
#include "device/cpu/stages/stages.h"
#include "device/op_params.h"

namespace emberline {

// Written by ExpertRouteStage in each step, read by those behind it.
struct ExpertGroups {
  // For up to `max_rows` rows, each of which uses `used` of `experts` experts.
  ExpertGroups(std::size_t max_rows, std::uint32_t experts, std::uint32_t used);

  std::size_t pairs(const Step& step) const { return std::size_t{step.rows} * used; }
  std::size_t count(std::size_t group) const { return first[group + 1] - first[group]; }

  std::uint32_t experts, used;
  std::size_t active;                       // groups: experts that some row chose; before any step the most
  std::size_t largest;                      // pairs of a group, at most
  std::unique_ptr<std::uint32_t[]> expert;  // [active], ascending
  std::unique_ptr<std::uint32_t[]> first;   // [active + 1], of a group's pairs
  std::unique_ptr<std::uint32_t[]> row;     // [pairs]
  std::unique_ptr<float[]> weight;          // [pairs]
};

// logits[rows, experts] -> groups. One unit: it takes a thousandth of the products' time.
struct ExpertRouteStage final : Stage {
  // As ExpertGroups.
  ExpertRouteStage(std::size_t max_rows, std::uint32_t experts, std::uint32_t used);

  const Kernels* kernels;
  const float* logits;
  std::uint32_t weighting;  // as ExpertsParams
  float scale;

  std::size_t units(const Step&) const override { return 1; }
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;

  const std::shared_ptr<ExpertGroups> groups;

 private:
  void choose(const float* row_logits, std::uint32_t* chosen, float* weights) const;
  void group(std::size_t rows) const;

  // Of a step: the experts of each row, the likeliest first, with their weights.
  std::unique_ptr<std::uint32_t[]> chosen_;  // [max rows, used]
  std::unique_ptr<float[]> weights_;         // [max rows, used]
  std::unique_ptr<float[]> exps_;            // [experts]
  std::unique_ptr<std::uint32_t[]> next_;    // [experts]
};

// Makes the rows that products of experts read, in scratch memory. A single row of a step is the only one
// that its experts' first products read.
struct ExpertRowsStage final : Stage {
  const Kernels* kernels;
  const float* x;  // [rows, width], a row of the step for each pair; or [pairs, width]
  std::shared_ptr<const ExpertGroups> groups;
  bool by_row;  // the former
  std::uint32_t width;
  bool quantize;

  std::size_t units(const Step& step) const override {
    return by_row && step.rows == 1 ? 1 : groups->pairs(step);
  }
  bool replicated(const Step& step) const override { return step.rows == 1; }
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;
};

// hidden[pairs, F] = activation(x gate_e^T) * (x up_e^T). A unit is a panel of both matrices of an expert.
struct ExpertGateUpStage final : Stage {
  GateKernel gate_up;
  Product gate, up;  // of all experts; `out` is one expert's
  std::shared_ptr<const ExpertGroups> groups;
  std::uint32_t width;
  float* hidden;

  std::size_t units(const Step&) const override { return groups->active * gate.panels(); }
  std::uint64_t unit_operations(const Step&) const override {
    return std::uint64_t{2} * kPanelRows * width * groups->largest;
  }
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;
};

// y[rows, D] += weight * hidden down_e^T, of every pair. A unit is a panel of all experts: it alone writes
// its columns.
struct ExpertDownStage final : Stage {
  Product down;  // of all experts; `out` is one expert's
  std::shared_ptr<const ExpertGroups> groups;
  std::uint32_t width;            // F
  const float* values = nullptr;  // null: the rows are in scratch memory

  std::size_t units(const Step&) const override { return down.panels(); }
  std::uint64_t unit_operations(const Step& step) const override {
    return std::uint64_t{kPanelRows} * width * groups->pairs(step);
  }
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;
};

}  // namespace emberline
