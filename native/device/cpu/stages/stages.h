// The stages that the commands of a dispatch table compile to. Pointers are into the table's buffers and have
// been checked: a stage touches nothing outside the shapes it states for any step whose rows and positions
// the plan admits.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "device/cpu/stage.h"
#include "device/ops.h"
#include "gguf/tensor_type.h"

namespace emberline {

// tokens[rows] -> out[rows, width]
struct EmbeddingStage final : Stage {
  const std::uint32_t* tokens;
  std::optional<std::uint32_t> position;  // of row 0; none: the step's
  const std::uint8_t* table;              // packed, [vocabulary, width]
  TensorType type;
  std::uint32_t width, vocabulary;
  float scale;
  float* out;

  std::size_t units(const Step& step) const override { return step.rows; }
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;
};

// x[rows, width] -> out[rows, width]
struct NormStage final : Stage {
  const Kernels* kernels;
  const float* x;
  const float* gain;
  const float* bias = nullptr;
  std::uint32_t width;
  std::uint32_t parts;  // of a row
  bool accumulate;
  const float* addend = nullptr;  // with accumulate; null: out
  bool centered = false;
  float epsilon;
  float* out;

  std::size_t units(const Step& step) const override { return std::size_t{step.rows} * parts; }
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;
};

// Makes the rows a product reads, in scratch memory: normalised when there is a gain, then quantised when
// asked. last_row_only: the batch's last row becomes row 0, the only one.
struct ActivationStage final : Stage {
  const Kernels* kernels;
  const float* x;
  const float* gain = nullptr;
  std::uint32_t width;
  float epsilon = 0;
  bool quantize;
  bool fine = false;  // to 16 bits
  bool last_row_only = false;

  std::size_t units(const Step& step) const override { return last_row_only ? 1 : step.rows; }
  bool replicated(const Step& step) const override { return step.rows == 1; }
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;
};

// One weight matrix of a product: y[rows, out] = (accumulate ? y : 0) + x weight^T + bias.
struct Product {
  ProductKernel kernel;
  const std::uint8_t* weight;  // packed
  std::size_t panel_bytes;
  std::uint32_t out;
  const float* bias = nullptr;
  float* y;
  bool accumulate = false;

  std::size_t panels() const { return (out + kPanelRows - 1) / kPanelRows; }
  // Panels [first, first + count), as ProductKernel.
  void run(std::size_t first, std::size_t count, const ActivationRows& x, float* to,
           std::size_t stride) const {
    kernel({weight + first * panel_bytes, panel_bytes, count}, x, to, stride);
  }
};

// Several products with the same x. x is the table's buffer where `values` is not null, scratch memory
// otherwise. A unit is a panel of a matrix.
struct ProductStage final : Stage {
  std::vector<Product> products;
  const float* values = nullptr;
  std::uint32_t width;
  bool last_row_only = false;
  bool fine = false;  // x in scratch memory has 16 bits

  std::size_t units(const Step& step) const override;
  std::uint64_t unit_operations(const Step& step) const override {
    return std::uint64_t{kPanelRows} * width * (last_row_only ? 1 : step.rows);
  }
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;
};

// out[rows, hidden] = activation(x gate^T) * (x up^T); x in scratch memory. A unit is a panel of both
// matrices.
struct GateUpStage final : Stage {
  GateKernel gate_up;
  Product gate, up;  // y and bias unused
  std::uint32_t width;
  float* out;

  std::size_t units(const Step&) const override { return gate.panels(); }
  std::uint64_t unit_operations(const Step& step) const override {
    return std::uint64_t{2} * kPanelRows * width * step.rows;
  }
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;
};

struct GatedUnitStage final : Stage {
  GateKernel gate_up;
  const float* gate;
  const float* up;  // null: as if all were 1
  std::uint32_t width;
  float* out;

  std::size_t units(const Step& step) const override;
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;
};

// In place. A unit is a piece of a row.
struct SoftCapStage final : Stage {
  const Kernels* kernels;
  float* x;
  std::uint32_t width;
  float cap;
  bool last_row_only;

  std::size_t units(const Step& step) const override;
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;
};

// First half of argmax: scans pieces of the vocabulary, of a fixed size so that results do not depend on the
// threads. A unit is a piece, of one row or of all.
struct ScanStage : Stage {
  static constexpr std::size_t kPiece = 512;  // logits: little enough that the threads end together
  const Kernels* kernels;
  std::uint32_t vocabulary;
  bool last_row_only = false;
  std::unique_ptr<LogitsScan[]> scans;  // [max rows, pieces]

  std::size_t pieces() const { return (vocabulary + kPiece - 1) / kPiece; }
  std::size_t scanned_rows(const Step& step) const { return last_row_only ? 1 : step.rows; }

 protected:
  // `logits`: those of the piece.
  void scan(const Step& step, std::size_t row, std::size_t piece, const float* logits) const;
};

// Of logits that lie in memory.
struct LogitsScanStage final : ScanStage {
  const float* logits;

  std::size_t units(const Step& step) const override { return scanned_rows(step) * pieces(); }
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;
};

// Of logits computed piece by piece and forgotten; x in scratch memory.
struct OutputScanStage final : ScanStage {
  Product output;  // y and bias unused
  std::uint32_t width;
  bool fine = false;

  std::size_t units(const Step&) const override { return pieces(); }
  std::uint64_t unit_operations(const Step& step) const override {
    return std::uint64_t{kPiece} * width * scanned_rows(step);
  }
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;
};

// Second half of argmax: one unit combines the pieces of every row in order.
struct ArgmaxStage final : Stage {
  const ScanStage* scan;
  std::optional<std::uint32_t> position;  // as EmbeddingStage
  std::uint32_t* tokens;
  float* log_probs;

  std::size_t units(const Step&) const override { return 1; }
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;
};

}  // namespace emberline
