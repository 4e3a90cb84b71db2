#include <cmath>

#include "device/cpu/stages/stages.h"

namespace emberline {
namespace {

void norm_row(const Kernels& kernels, const float* x, const float* gain, std::size_t width, float epsilon,
              float* out) {
  const float mean_square = kernels.sum_of_squares(x, width) / static_cast<float>(width);
  kernels.scale_row(x, gain, 1.0f / std::sqrt(mean_square + epsilon), width, out);
}

}  // namespace

void NormStage::run(const Step&, Worker&, std::size_t begin, std::size_t end) const {
  for (std::size_t unit = begin; unit < end; ++unit) {
    norm_row(*kernels, x + unit * width, gain, width, epsilon, out + unit * width);
  }
}

void ActivationStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  const ActivationScratch& scratch = step.activations(worker);
  for (std::size_t r = begin; r < end; ++r) {
    const float* row = x + (last_row_only ? step.rows - 1 : r) * width;
    if (gain != nullptr) {
      norm_row(*kernels, row, gain, width, epsilon, scratch.values + r * width);
      row = scratch.values + r * width;
    }
    if (quantize) {
      (fine ? kernels->quantize_row_fine : kernels->quantize_row)(row, width,
                                                                  scratch.quantized_row(r, width));
    }
  }
}

}  // namespace emberline
