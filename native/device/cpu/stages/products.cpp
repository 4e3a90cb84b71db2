#include <algorithm>

#include "device/cpu/stages/stages.h"

namespace emberline {
namespace {

// Columns of y that panels [panel, panel + count) compute.
std::size_t panel_columns(const Product& product, std::size_t panel, std::size_t count) {
  return std::min<std::size_t>(count * kPanelRows, product.out - panel * kPanelRows);
}

// Whole panels whose sums are the result can be written where they belong.
std::size_t direct_panels(const Product& product) {
  return product.bias == nullptr && !product.accumulate ? product.out / kPanelRows : 0;
}

// From a tile [rows, 16 * count] to the columns of panels [panel, panel + count).
void store_tile(const Product& product, std::size_t panel, std::size_t count, std::size_t rows, float* tile) {
  const std::size_t first = panel * kPanelRows, columns = panel_columns(product, panel, count);
  for (std::size_t r = 0; r < rows; ++r, tile += count * kPanelRows) {
    float* y = product.y + r * product.out + first;
    if (product.bias != nullptr) {
      for (std::size_t i = 0; i < columns; ++i) tile[i] += product.bias[first + i];
    }
    if (product.accumulate) {
      for (std::size_t i = 0; i < columns; ++i) y[i] += tile[i];
    } else {
      std::copy_n(tile, columns, y);
    }
  }
}

void run_product(const Product& product, std::size_t begin, std::size_t end, const ActivationRows& x,
                 float* tile) {
  const std::size_t direct = std::min(end, direct_panels(product));
  if (begin < direct) {
    product.run(begin, direct - begin, x, product.y + begin * kPanelRows, product.out);
    begin = direct;
  }
  const std::size_t most = tile_panels(x.rows);
  for (std::size_t panel = begin, count; panel < end; panel += count) {
    count = std::min(most, end - panel);
    product.run(panel, count, x, tile, count * kPanelRows);
    store_tile(product, panel, count, x.rows, tile);
  }
}

}  // namespace

std::size_t ProductStage::units(const Step&) const {
  std::size_t total = 0;
  for (const Product& product : products) total += product.panels();
  return total;
}

void ProductStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  ActivationRows x = step.activations(worker).rows(last_row_only ? 1 : step.rows, width, fine);
  if (values != nullptr) x.values = values + (last_row_only ? step.rows - 1 : 0) * std::size_t{width};
  std::size_t first = 0;  // unit of a product's first panel
  for (const Product& product : products) {
    const std::size_t past = first + product.panels();
    if (begin < past && end > first) {
      run_product(product, std::max(begin, first) - first, std::min(end, past) - first, x, worker.tiles[0]);
    }
    first = past;
  }
}

void GateUpStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  const ActivationRows x = step.activations(worker).rows(step.rows, width, false);
  const std::size_t most = tile_panels(x.rows);
  for (std::size_t panel = begin, count; panel < end; panel += count) {
    count = std::min(most, end - panel);
    const std::size_t stride = count * kPanelRows;
    gate.run(panel, count, x, worker.tiles[0], stride);
    up.run(panel, count, x, worker.tiles[1], stride);
    for (std::size_t r = 0; r < x.rows; ++r) {
      gate_up(worker.tiles[0] + r * stride, worker.tiles[1] + r * stride, panel_columns(gate, panel, count),
              out + r * gate.out + panel * kPanelRows);
    }
  }
}

}  // namespace emberline
