#include <cmath>

#include "device/cpu/stages/stages.h"

namespace emberline {
namespace {

float norm_scale(const Kernels& kernels, const float* x, std::size_t width, float epsilon) {
  return 1.0f / std::sqrt(kernels.sum_of_squares(x, width) / static_cast<float>(width) + epsilon);
}

void norm_row(const Kernels& kernels, const float* x, const float* gain, std::size_t width, float epsilon,
              float* out) {
  kernels.scale_row(x, gain, norm_scale(kernels, x, width, epsilon), width, out);
}

void add_norm_row(const Kernels& kernels, const float* x, const float* gain, std::size_t width, float epsilon,
                  float* out) {
  const float scale = norm_scale(kernels, x, width, epsilon);
  for (std::size_t i = 0; i < width; ++i) out[i] += x[i] * scale * gain[i];
}

}  // namespace

void NormStage::run(const Step&, Worker&, std::size_t begin, std::size_t end) const {
  for (std::size_t unit = begin; unit < end; ++unit) {
    (accumulate ? add_norm_row : norm_row)(*kernels, x + unit * width, gain, width, epsilon,
                                           out + unit * width);
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
