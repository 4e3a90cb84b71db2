// The kernel set for any processor: plain loops over 8 lanes, which compilers turn into the baseline's
// vectors.
#include "simd/portable/vector.h"

#include "device/cpu/kernels/attention_loops.h"
#include "device/cpu/kernels/kernel_loops.h"
#include "device/cpu/kernels/portable_products.h"

namespace emberline {
namespace {

// To nearest, ties to even. What is not finite gives an arbitrary integer; all are within 16 bits.
std::int32_t round_to_int(float x) {
  return static_cast<std::int16_t>(f32_to_bits(x + kRoundingBias) - f32_to_bits(kRoundingBias));
}

// One block, to integers of up to `largest_quant`.
struct BlockScale {
  float scale, inverse;
};
BlockScale block_scale(const float* x, float largest_quant) {
  float largest = 0.0f, poison = 0.0f;
  for (std::size_t i = 0; i < kBlockElements; ++i) {
    const float magnitude = x[i] < 0.0f ? -x[i] : x[i];
    largest = magnitude > largest ? magnitude : largest;
    poison += x[i] * 0.0f;
  }
  const bool zero = largest < 1e-30f;
  return {(zero ? 0.0f : largest / largest_quant) + poison, zero ? 0.0f : largest_quant / largest};
}

void store_sums(const QuantizedRow& to, std::size_t block, float scale, const std::int32_t (&halves)[2]) {
  const std::int32_t sum = halves[0] + halves[1];
  to.scales[block] = scale;
  to.sums[block] = scale * static_cast<float>(sum);
  to.offsets[block] = -8 * sum;
  to.first_offsets[block] = -8 * halves[0];
}

void quantize_row(const float* x, std::size_t n, const QuantizedRow& to) {
  for (std::size_t b = 0; b < n / kBlockElements; ++b, x += kBlockElements) {
    const BlockScale block = block_scale(x, 127.0f);
    std::int8_t* quants = to.quants + b * kBlockElements;
    std::int32_t sums[2] = {};
    for (std::size_t i = 0; i < kBlockElements; ++i) {
      quants[i] = static_cast<std::int8_t>(round_to_int(x[i] * block.inverse));
      sums[i / 16] += quants[i];
    }
    store_sums(to, b, block.scale, sums);
  }
}

void quantize_row_fine(const float* x, std::size_t n, const QuantizedRow& to) {
  for (std::size_t b = 0; b < n / kBlockElements; ++b, x += kBlockElements) {
    const BlockScale block = block_scale(x, 127 * kFineStep + 127);
    std::int32_t sums[2] = {};
    for (std::size_t i = 0; i < kBlockElements; ++i) {
      const std::int32_t q = round_to_int(x[i] * block.inverse);
      const std::int32_t coarse = round_to_int(static_cast<float>(q) * (1.0f / kFineStep));
      to.quants[b * kBlockElements + i] = static_cast<std::int8_t>(coarse);
      to.fine[b * kBlockElements + i] = static_cast<std::int8_t>(q - coarse * kFineStep);
      sums[i / 16] += q;
    }
    store_sums(to, b, block.scale, sums);
  }
}

}  // namespace

const Kernels& portable_kernels() {
  static constexpr Kernels kernels = {"portable",
                                      quantize_row,
                                      quantize_row_fine,
                                      sum_of_squares,
                                      scale_row,
                                      kGateKernels,
                                      exp_row,
                                      soft_cap_row,
                                      scan_logits,
                                      widen_halves,
                                      narrow_to_halves,
                                      kAttentionKernels,
                                      product_float<F32Weights>,
                                      product_float<F16Weights>,
                                      product_float<Bf16Weights>,
                                      product_quantized<PackedQ4_0, 1>,
                                      product_quantized<PackedQ4_1, 0>,
                                      product_quantized<PackedQ5_0, 2>,
                                      product_quantized<PackedQ5_1, 0>,
                                      product_quantized<PackedQ8_0, 0>,
                                      product_quantized<PackedIQ4_NL, 0>,
                                      product_quantized<PackedMXFP4, 0>,
                                      product_quantized<PackedQ2_K, 0>,
                                      product_quantized<PackedQ3_K, 4>,
                                      product_quantized<PackedQ4_K, 0>,
                                      product_quantized<PackedQ5_K, 0>,
                                      product_quantized<PackedQ6_K, 4>,
                                      product_quantized<PackedIQ4_XS, 0>};
  return kernels;
}

}  // namespace emberline
