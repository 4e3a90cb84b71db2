#include <algorithm>

#include "device/cpu/stages/stages.h"

namespace emberline {
namespace {

constexpr std::size_t tiles(std::uint32_t out) {
  return (out + kTileRows - 1) / kTileRows;
}

// Weight rows [first, last) of a product, at most a tile.
struct RowRange {
  std::size_t first, last;
};

RowRange tile_range(const Product& product, std::size_t tile) {
  return {tile * kTileRows, std::min<std::size_t>((tile + 1) * kTileRows, product.out)};
}

// tile[r * 8 + i] = weight row range.first + i . row r of x.
void run_tile(const Product& product, RowRange range, const ActivationRows& x, float* tile,
              std::uint8_t* scratch) {
  const std::size_t count = range.last - range.first;
  if (count == kTileRows) {
    product.kernel({product.weight + range.first * product.row_bytes, product.row_bytes}, x, tile, scratch);
    return;
  }
  if (product.out >= kTileRows) {  // the last 8 rows of the matrix, of which the last `count` are wanted
    product.kernel({product.weight + (product.out - kTileRows) * product.row_bytes, product.row_bytes}, x,
                   tile, scratch);
    for (std::size_t r = 0; r < x.rows; ++r) {
      std::copy_n(tile + r * kTileRows + kTileRows - count, count, tile + r * kTileRows);
    }
    return;
  }
  for (std::size_t i = count; i-- > 0;) {  // fewer than 8 rows in all: one by one, the same row 8 times
    float* one = tile + x.rows * kTileRows;
    product.kernel({product.weight + i * product.row_bytes, 0}, x, one, scratch);
    for (std::size_t r = 0; r < x.rows; ++r) tile[r * kTileRows + i] = one[r * kTileRows];
  }
}

void store_tile(const Product& product, RowRange range, std::size_t rows, const float* tile) {
  for (std::size_t r = 0; r < rows; ++r) {
    float* y = product.y + r * product.out + range.first;
    for (std::size_t i = 0; i < range.last - range.first; ++i) {
      float value = tile[r * kTileRows + i];
      if (product.bias != nullptr) value += product.bias[range.first + i];
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
  ActivationRows x = step.activations(worker).rows(last_row_only ? 1 : step.rows, width, fine);
  if (values != nullptr) x.values = values + (last_row_only ? step.rows - 1 : 0) * std::size_t{width};
  std::size_t unit = begin;
  std::size_t first_unit = 0;
  for (const Product& product : products) {
    const std::size_t past = first_unit + tiles(product.out);
    for (; unit < std::min(end, past); ++unit) {
      const RowRange range = tile_range(product, unit - first_unit);
      run_tile(product, range, x, worker.tiles[0], worker.product);
      store_tile(product, range, x.rows, worker.tiles[0]);
    }
    first_unit = past;
  }
}

void GateUpStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  const ActivationRows x = step.activations(worker).rows(step.rows, width, false);
  for (std::size_t unit = begin; unit < end; ++unit) {
    const RowRange range = tile_range(gate, unit);
    run_tile(gate, range, x, worker.tiles[0], worker.product);
    run_tile(up, range, x, worker.tiles[1], worker.product);
    for (std::size_t r = 0; r < x.rows; ++r) {
      kernels->silu_mul(worker.tiles[0] + r * kTileRows, worker.tiles[1] + r * kTileRows,
                        range.last - range.first, out + r * gate.out + range.first);
    }
  }
}

}  // namespace emberline
