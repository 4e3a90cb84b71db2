#include <algorithm>
#include <cmath>

#include "device/cpu/stages/stages.h"

namespace emberline {

void ScanStage::scan(const Step& step, std::size_t row, std::size_t piece, const float* logits) const {
  LogitsScan& result = scans[row * pieces() + piece];
  result = kernels->scan_logits(logits, std::min<std::size_t>(kPiece, vocabulary - piece * kPiece));
  if (!result.finite) step.report(ErrorCode::kLogitsNotFinite);
}

void LogitsScanStage::run(const Step& step, Worker&, std::size_t begin, std::size_t end) const {
  for (std::size_t unit = begin; unit < end; ++unit) {
    const std::size_t row = unit / pieces(), piece = unit % pieces();
    scan(step, row, piece, logits + row * vocabulary + piece * kPiece);
  }
}

void OutputScanStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  constexpr std::size_t kPanels = kPiece / kPanelRows;
  const ActivationRows x = step.activations(worker).rows(step.rows, width, fine);
  for (std::size_t piece = begin; piece < end; ++piece) {
    const std::size_t first = piece * kPanels;
    output.run(first, std::min(kPanels, output.panels() - first), x, worker.logits, kPiece);
    for (std::size_t row = 0; row < x.rows; ++row) scan(step, row, piece, worker.logits + row * kPiece);
  }
}

void ArgmaxStage::run(const Step& step, Worker&, std::size_t, std::size_t) const {
  const std::size_t pieces = scan->pieces();
  const std::size_t rows = scan->scanned_rows(step);
  const std::size_t first = position.value_or(step.position) + std::size_t{1};
  for (std::size_t r = 0; r < rows; ++r) {
    const LogitsScan* row = scan->scans.get() + r * pieces;
    std::size_t best = 0;
    for (std::size_t p = 1; p < pieces; ++p) {
      if (row[p].max > row[best].max) best = p;
    }
    double total = 0;
    for (std::size_t p = 0; p < pieces; ++p) {
      total += row[p].exp_sum * std::exp(static_cast<double>(row[p].max) - row[best].max);
    }
    const std::uint32_t token = static_cast<std::uint32_t>(best * ScanStage::kPiece + row[best].index);
    tokens[first + r] = token;
    log_probs[first + r] = static_cast<float>(-std::log(total));
    if (r + 1 == rows) *step.last_token = token;
  }
}

}  // namespace emberline
