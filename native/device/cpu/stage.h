// A command of a dispatch table, compiled: a stage is work that the threads can split into units without
// waiting for one another. Between stages they meet at a barrier.
//
// A unit is computed the same way whoever computes it and whichever units its neighbours are, so results do
// not depend on the number of threads. Units never split a sum.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "device/cpu/attention_scratch.h"
#include "device/cpu/kernels/kernels.h"

namespace emberline {

// Memory that a stage hands to the next one, apart from the table's buffers: normalised and quantised
// activation rows.
struct ActivationScratch {
  float* values = nullptr;
  std::int8_t* quants = nullptr;
  float* scales = nullptr;
  float* sums = nullptr;
  std::int32_t* offsets = nullptr;
  std::int32_t* first_offsets = nullptr;
  std::int8_t* fine = nullptr;

  ActivationRows rows(std::size_t count, std::size_t width, bool with_fine) const {
    return {count, width, values, quants, scales, sums, offsets, first_offsets, with_fine ? fine : nullptr};
  }
  QuantizedRow quantized_row(std::size_t row, std::size_t width) const {
    const std::size_t at = row * width, block = at / kBlockElements;
    return {quants + at, fine + at, scales + block, sums + block, offsets + block, first_offsets + block};
  }
};

// An output tile holds one panel's results with all rows of a batch, and at least this many rows: of a small
// batch, the results of several panels.
constexpr std::size_t kTileRows = 64;
// So many panels' results with `rows` rows fit a tile.
constexpr std::size_t tile_panels(std::size_t rows) {
  return rows < kTileRows ? kTileRows / rows : 1;
}

// How much scratch memory a plan's stages ask for.
struct ScratchNeeds {
  std::size_t max_rows = 1;
  std::size_t activation_width = 0;  // widest row that a product reads
  std::size_t tile_rows = kTileRows;
  std::size_t logits = 0;  // of the rows that argmax scans together
  AttentionNeeds attention;
};

// One thread's private memory.
struct Worker {
  int index = 0;
  ActivationScratch activations;  // of one row
  float* tiles[2] = {};           // [tile_rows, 16] each
  float* logits = nullptr;        // [rows, a piece of the vocabulary]
  AttentionWorker attention;
};

// What a step of a replay changes.
struct Step {
  std::uint32_t index = 0;  // of the chain
  std::uint32_t position = 0;
  std::uint32_t rows = 1;
  const ActivationScratch* shared = nullptr;  // activation rows of a batch
  const AttentionPartials* partials = nullptr;
  std::atomic<int>* fault =
      nullptr;  // an ErrorCode; set by a stage that meets a value it cannot compute with
  std::uint32_t* last_token = nullptr;  // the argmax of the last row

  void report(ErrorCode code) const {
    int none = 0;
    fault->compare_exchange_strong(none, static_cast<int>(code), std::memory_order_relaxed);
  }
  // Where the rows for a product lie: a single row is prepared by every thread for itself, which is cheaper
  // than a barrier.
  const ActivationScratch& activations(const Worker& worker) const {
    return rows == 1 ? worker.activations : *shared;
  }
};

class Stage {
 public:
  virtual ~Stage() = default;

  virtual std::size_t units(const Step& step) const = 0;
  virtual void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const = 0;
  // Multiply-adds of a unit, about; 0 when there are so few, whatever the shapes, that a thread may do its
  // whole share before it looks for a cancel again.
  virtual std::uint64_t unit_operations(const Step&) const { return 0; }
  // True when every thread runs all units for itself, into its own memory, and no barrier follows.
  virtual bool replicated(const Step&) const { return false; }
};

}  // namespace emberline
