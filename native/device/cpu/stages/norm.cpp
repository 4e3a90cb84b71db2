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

void add_norm_row(const NormStage& norm, const float* x, const float* before, float* out) {
  const float scale = norm_scale(*norm.kernels, x, norm.width, norm.epsilon);
  for (std::size_t i = 0; i < norm.width; ++i) out[i] = before[i] + x[i] * scale * norm.gain[i];
}

// Mean and variance are summed in double precision, one pass behind the other: a mean may be large beside
// what differs from it.
void layer_norm_row(const NormStage& norm, const float* x, const float* before, float* out) {
  const std::size_t width = norm.width;
  double mean = 0, squares = 0;
  if (norm.centered) {
    for (std::size_t i = 0; i < width; ++i) mean += x[i];
    mean /= static_cast<double>(width);
  }
  for (std::size_t i = 0; i < width; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const double scale = 1.0 / std::sqrt(squares / static_cast<double>(width) + norm.epsilon);
  for (std::size_t i = 0; i < width; ++i) {
    const auto normed = static_cast<float>((x[i] - mean) * scale);
    const float y = normed * norm.gain[i] + (norm.bias != nullptr ? norm.bias[i] : 0.0f);
    out[i] = norm.accumulate ? before[i] + y : y;
  }
}

}  // namespace

void NormStage::run(const Step&, Worker&, std::size_t begin, std::size_t end) const {
  for (std::size_t unit = begin; unit < end; ++unit) {
    const std::size_t at = unit * width;
    const float* before = (addend != nullptr ? addend : out) + at;
    if (centered || bias != nullptr) {
      layer_norm_row(*this, x + at, before, out + at);
    } else if (accumulate) {
      add_norm_row(*this, x + at, before, out + at);
    } else {
      norm_row(*kernels, x + at, gain, width, epsilon, out + at);
    }
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
