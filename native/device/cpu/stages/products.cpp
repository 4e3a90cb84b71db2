#include <algorithm>

#include "device/cpu/stages/stages.h"

namespace emberline {
namespace {

constexpr std::size_t panels(std::uint32_t out) {
  return (out + kPanelRows - 1) / kPanelRows;
}

void run_panels(const Product& product, std::size_t first, std::size_t count, const ActivationRows& x,
                float* y, std::size_t stride) {
  product.kernel({product.weight + first * product.panel_bytes, product.panel_bytes, count}, x, y, stride);
}

std::size_t panel_rows(const Product& product, std::size_t panel) {
  return std::min<std::size_t>(kPanelRows, product.out - panel * kPanelRows);
}

// Whole panels whose sums are the result can be written where they belong.
std::size_t direct_panels(const Product& product) {
  return product.bias == nullptr && !product.accumulate ? product.out / kPanelRows : 0;
}

void store_tile(const Product& product, std::size_t panel, std::size_t rows, const float* tile) {
  const std::size_t first = panel * kPanelRows;
  for (std::size_t r = 0; r < rows; ++r) {
    float* y = product.y + r * product.out + first;
    for (std::size_t i = 0; i < panel_rows(product, panel); ++i) {
      float value = tile[r * kPanelRows + i];
      if (product.bias != nullptr) value += product.bias[first + i];
      y[i] = product.accumulate ? y[i] + value : value;
    }
  }
}

void run_product(const Product& product, std::size_t begin, std::size_t end, const ActivationRows& x,
                 float* tile) {
  const std::size_t direct = std::min(end, direct_panels(product));
  if (begin < direct) {
    run_panels(product, begin, direct - begin, x, product.y + begin * kPanelRows, product.out);
    begin = direct;
  }
  for (std::size_t panel = begin; panel < end; ++panel) {
    run_panels(product, panel, 1, x, tile, kPanelRows);
    store_tile(product, panel, x.rows, tile);
  }
}

}  // namespace

std::size_t ProductStage::units(const Step&) const {
  std::size_t total = 0;
  for (const Product& product : products) total += panels(product.out);
  return total;
}

void ProductStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  ActivationRows x = step.activations(worker).rows(last_row_only ? 1 : step.rows, width, fine);
  if (values != nullptr) x.values = values + (last_row_only ? step.rows - 1 : 0) * std::size_t{width};
  std::size_t first = 0;  // unit of a product's first panel
  for (const Product& product : products) {
    const std::size_t past = first + panels(product.out);
    if (begin < past && end > first) {
      run_product(product, std::max(begin, first) - first, std::min(end, past) - first, x, worker.tiles[0]);
    }
    first = past;
  }
}

void GateUpStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  const ActivationRows x = step.activations(worker).rows(step.rows, width, false);
  for (std::size_t panel = begin; panel < end; ++panel) {
    run_panels(gate, panel, 1, x, worker.tiles[0], kPanelRows);
    run_panels(up, panel, 1, x, worker.tiles[1], kPanelRows);
    for (std::size_t r = 0; r < x.rows; ++r) {
      kernels->silu_mul(worker.tiles[0] + r * kPanelRows, worker.tiles[1] + r * kPanelRows,
                        panel_rows(gate, panel), out + r * gate.out + panel * kPanelRows);
    }
  }
}

}  // namespace emberline
