#include <algorithm>
#include <cmath>

#include "device/cpu/stages/stages.h"

namespace emberline {

void LogitsScanStage::run(const Step& step, Worker&, std::size_t begin, std::size_t end) const {
  for (std::size_t unit = begin; unit < end; ++unit) {
    const std::size_t from = unit % pieces() * kPiece;
    const float* row = logits + unit / pieces() * vocabulary;
    scans[unit] = kernels->scan_logits(row + from, std::min<std::size_t>(kPiece, vocabulary - from));
    if (!scans[unit].finite) step.report(ErrorCode::kLogitsNotFinite);
  }
}

void ArgmaxStage::run(const Step& step, Worker&, std::size_t, std::size_t) const {
  const std::size_t pieces = scan->pieces();
  const std::size_t rows = scan->scanned_rows(step);
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
    const std::uint32_t token = static_cast<std::uint32_t>(best * LogitsScanStage::kPiece + row[best].index);
    tokens[r + (offset_by_step ? step.index + 1 : 0)] = token;
    log_probs[r + (offset_by_step ? step.index : 0)] = static_cast<float>(-std::log(total));
    if (r + 1 == rows) *step.last_token = token;
  }
}

}  // namespace emberline
