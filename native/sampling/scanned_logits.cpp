#include "sampling/scanned_logits.h"

#include <cmath>

namespace emberline {

Result<ScannedLogits> scan_logits(std::span<const float> logits, float* block_largest,
                                  const SamplingKernels& kernels) {
  const LogitScan scan = kernels.scan(logits.data(), logits.size(), block_largest);
  if (!scan.finite) {
    return Status(ErrorCode::kLogitsNotFinite,
                  "The model produced a logit that is not a number; its file may be damaged: get it again.");
  }
  if (std::isinf(scan.largest)) {
    return Status(ErrorCode::kAllTokensMasked,
                  "Every token is masked, so none can follow; loosen the constraint.");
  }
  std::size_t block = 0;
  while (block_largest[block] != scan.largest) ++block;
  std::size_t best = block * kLogitBlock;
  while (logits[best] != scan.largest) ++best;
  return ScannedLogits{logits, block_largest, scan.largest, static_cast<std::uint32_t>(best), &kernels};
}

}  // namespace emberline
