#include <algorithm>

#include "device/cpu/stages/expert_stages.h"

namespace emberline {
namespace {

// Rows [first, first + count) of scratch memory.
ActivationRows expert_rows(const ActivationScratch& scratch, std::size_t first, std::size_t count,
                           std::size_t width) {
  const std::size_t at = first * width, block = at / kBlockElements;
  return {count,
          width,
          scratch.values + at,
          scratch.quants + at,
          scratch.scales + block,
          scratch.sums + block,
          scratch.offsets + block,
          scratch.first_offsets + block};
}

}  // namespace

void ExpertRowsStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  const ActivationScratch& scratch = step.activations(worker);
  for (std::size_t i = begin; i < end; ++i) {
    const float* row = x + (by_row && step.rows > 1 ? groups->row[i] : i) * std::size_t{width};
    // Products with floats and with blocks may read the same row.
    if (by_row) std::copy_n(row, width, scratch.values + i * width);
    if (quantize) kernels->quantize_row(row, width, scratch.quantized_row(i, width));
  }
}

void ExpertGateUpStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  const ActivationScratch& scratch = step.activations(worker);
  const std::size_t panels = gate.panels();
  for (std::size_t unit = begin, count; unit < end; unit += count) {
    const std::size_t group = unit / panels, panel = unit % panels, rows = groups->count(group);
    const std::size_t first = groups->first[group], expert = groups->expert[group];
    count = std::min({end - unit, panels - panel, tile_panels(rows)});
    const ActivationRows x = expert_rows(scratch, step.rows == 1 ? 0 : first, rows, width);
    const std::size_t columns = count * kPanelRows;
    gate.run(expert * panels + panel, count, x, worker.tiles[0], columns);
    up.run(expert * panels + panel, count, x, worker.tiles[1], columns);
    for (std::size_t r = 0; r < rows; ++r) {
      gate_up(worker.tiles[0] + r * columns, worker.tiles[1] + r * columns, columns,
              hidden + (first + r) * gate.out + panel * kPanelRows);
    }
  }
}

void ExpertDownStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  const ActivationScratch& scratch = step.activations(worker);
  for (std::size_t group = 0; group < groups->active; ++group) {
    const std::size_t first = groups->first[group], rows = groups->count(group);
    ActivationRows x = expert_rows(scratch, first, rows, width);
    if (values != nullptr) x.values = values + first * width;
    const std::size_t most = tile_panels(rows);
    for (std::size_t panel = begin, count; panel < end; panel += count) {
      count = std::min(most, end - panel);
      const std::size_t columns = count * kPanelRows;
      down.run(groups->expert[group] * down.panels() + panel, count, x, worker.tiles[0], columns);
      for (std::size_t r = 0; r < rows; ++r) {
        const float weight = groups->weight[first + r];
        const float* tile = worker.tiles[0] + r * columns;
        float* y = down.y + std::size_t{groups->row[first + r]} * down.out + panel * kPanelRows;
        for (std::size_t i = 0; i < columns; ++i) y[i] += weight * tile[i];
      }
    }
  }
}

}  // namespace emberline
