// The kernel set for any processor: plain loops over 8 lanes, which compilers turn into the baseline's
// vectors.
#include "simd/portable/vector.h"

#include "device/cpu/kernels/attention_loops.h"
#include "device/cpu/kernels/kernel_loops.h"
#include "device/cpu/kernels/portable_products.h"
#include "device/cpu/kernels/quantize_loops.h"

namespace emberline {

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
