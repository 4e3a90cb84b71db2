#include <algorithm>

#include "device/cpu/stages/stages.h"

namespace emberline {
namespace {

constexpr std::size_t tiles(std::uint32_t out) {
  return (out + kTileRows - 1) / kTileRows;
}

// The tile's weight rows; past the matrix's end the last row again, whose results nobody stores.
void run_tile(const Product& product, std::size_t first_row, const ActivationRows& x, float* tile,
              std::uint8_t* scratch) {
  const std::uint8_t* rows[kTileRows];
  for (std::size_t i = 0; i < kTileRows; ++i) {
    rows[i] = product.weight + std::min<std::size_t>(first_row + i, product.out - 1) * product.row_bytes;
  }
  product.kernel(rows, x, tile, scratch);
}

void store_tile(const Product& product, std::size_t first_row, std::size_t rows, const float* tile) {
  const std::size_t count = std::min<std::size_t>(kTileRows, product.out - first_row);
  for (std::size_t r = 0; r < rows; ++r) {
    float* y = product.y + r * product.out + first_row;
    for (std::size_t i = 0; i < count; ++i) {
      float value = tile[r * kTileRows + i];
      if (product.bias != nullptr) value += product.bias[first_row + i];
      y[i] = product.accumulate ? y[i] + value : value;
    }
  }
}

}  // namespace

std::size_t ProductStage::units(const Step&) const {
  std::size_t total = 0;
  for (const Product& product : products) total += tiles(product.out);
  return total;
}

void ProductStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  ActivationRows x = step.activations(worker).rows(last_row_only ? 1 : step.rows, width);
  if (values != nullptr) x.values = values + (last_row_only ? step.rows - 1 : 0) * std::size_t{width};
  std::size_t unit = begin;
  std::size_t first_unit = 0;
  for (const Product& product : products) {
    const std::size_t past = first_unit + tiles(product.out);
    for (; unit < std::min(end, past); ++unit) {
      const std::size_t row = (unit - first_unit) * kTileRows;
      run_tile(product, row, x, worker.tiles[0], worker.product);
      store_tile(product, row, x.rows, worker.tiles[0]);
    }
    first_unit = past;
  }
}

void GateUpStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  const ActivationRows x = step.activations(worker).rows(step.rows, width);
  for (std::size_t unit = begin; unit < end; ++unit) {
    const std::size_t row = unit * kTileRows;
    const std::size_t count = std::min<std::size_t>(kTileRows, gate.out - row);
    run_tile(gate, row, x, worker.tiles[0], worker.product);
    run_tile(up, row, x, worker.tiles[1], worker.product);
    for (std::size_t r = 0; r < x.rows; ++r) {
      kernels->silu_mul(worker.tiles[0] + r * kTileRows, worker.tiles[1] + r * kTileRows, count,
                        out + r * gate.out + row);
    }
  }
}

}  // namespace emberline
