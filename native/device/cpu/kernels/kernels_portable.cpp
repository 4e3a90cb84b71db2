// The kernel set for any processor: plain loops over 8 lanes, which compilers turn into the baseline's
// vectors.
#include "base/half.h"
#include "device/cpu/kernels/kernels.h"
#include "device/cpu/kernels/portable_lanes.h"

namespace emberline {
namespace {

constexpr float kRoundingBias =
    12582912.0f;  // 1.5 * 2^23: adding it leaves the nearest integer in the low bits

struct Vector {
  static constexpr std::size_t kLanes = 8;
  struct Lanes {
    Floats low, high;
  };

  // f of every lane.
  template <typename F>
  static Lanes generate(F f) {
    float r[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) r[i] = f(i);
    return load(r);
  }
  template <typename F>
  static Lanes map(const Lanes& a, const Lanes& b, F f) {
    float x[kLanes], y[kLanes];
    store(x, a);
    store(y, b);
    return generate([&](std::size_t i) { return f(x[i], y[i]); });
  }
  static Lanes load(const float* p) { return {load_lanes<Floats>(p), load_lanes<Floats>(p + kLanes / 2)}; }
  static Lanes load_partial(const float* p, std::size_t n) {
    return generate([p, n](std::size_t i) { return i < n ? p[i] : 0.0f; });
  }
  static Lanes load_halves(const std::uint16_t* p) {
    return generate([p](std::size_t i) { return f16_to_f32(p[i]); });
  }
  static Lanes load_bf16_first(const std::uint16_t* p) {
    return generate([p](std::size_t i) { return bf16_to_f32(p[2 * i]); });
  }
  static Lanes load_bf16_second(const std::uint16_t* p) {
    return generate([p](std::size_t i) { return bf16_to_f32(p[2 * i + 1]); });
  }
  static void store(float* p, const Lanes& a) {
    store_lanes(p, a.low);
    store_lanes(p + kLanes / 2, a.high);
  }
  static void store_partial(float* p, std::size_t n, const Lanes& a) {
    float x[kLanes];
    store(x, a);
    for (std::size_t i = 0; i < n; ++i) p[i] = x[i];
  }
  static void store_halves(std::uint16_t* p, const Lanes& a) {
    float x[kLanes];
    store(x, a);
    for (std::size_t i = 0; i < kLanes; ++i) p[i] = f32_to_f16(x[i]);
  }
  static Lanes set(float x) { return {Floats{x, x, x, x}, Floats{x, x, x, x}}; }
  static Lanes add(const Lanes& a, const Lanes& b) { return {a.low + b.low, a.high + b.high}; }
  static Lanes sub(const Lanes& a, const Lanes& b) { return {a.low - b.low, a.high - b.high}; }
  static Lanes mul(const Lanes& a, const Lanes& b) { return {a.low * b.low, a.high * b.high}; }
  static Lanes div(const Lanes& a, const Lanes& b) { return {a.low / b.low, a.high / b.high}; }
  static Lanes fma(const Lanes& a, const Lanes& b, const Lanes& c) { return add(mul(a, b), c); }
  static Lanes max(const Lanes& a, const Lanes& b) {
    return map(a, b, [](float x, float y) { return x > y ? x : y; });
  }
  static Lanes min(const Lanes& a, const Lanes& b) {
    return map(a, b, [](float x, float y) { return x < y ? x : y; });
  }
  static Lanes round(const Lanes& a) {
    const Lanes bias = set(kRoundingBias);
    return sub(add(a, bias), bias);
  }
  static Lanes power_of_two(const Lanes& n) {
    return map(n, n, [](float x, float) {
      const std::uint32_t integer = f32_to_bits(x + kRoundingBias) - f32_to_bits(kRoundingBias);
      return f32_from_bits((integer + 127u) << 23);
    });
  }
  static Lanes zero_below(const Lanes& x, float limit, const Lanes& value) {
    return map(x, value, [limit](float a, float b) { return a < limit ? 0.0f : b; });
  }
  static float sum(const Lanes& a) {
    float v[kLanes];
    store(v, a);
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
  }
};

}  // namespace
}  // namespace emberline

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

void store_sums(const QuantizedRow& to, std::size_t block, float scale, std::int32_t sum) {
  to.scales[block] = scale;
  to.sums[block] = scale * static_cast<float>(sum);
  to.offsets[block] = -8 * sum;
}

void quantize_row(const float* x, std::size_t n, const QuantizedRow& to) {
  for (std::size_t b = 0; b < n / kBlockElements; ++b, x += kBlockElements) {
    const BlockScale block = block_scale(x, 127.0f);
    std::int8_t* quants = to.quants + b * kBlockElements;
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < kBlockElements; ++i) {
      quants[i] = static_cast<std::int8_t>(round_to_int(x[i] * block.inverse));
      sum += quants[i];
    }
    store_sums(to, b, block.scale, sum);
  }
}

void quantize_row_fine(const float* x, std::size_t n, const QuantizedRow& to) {
  for (std::size_t b = 0; b < n / kBlockElements; ++b, x += kBlockElements) {
    const BlockScale block = block_scale(x, 127 * kFineStep + 127);
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < kBlockElements; ++i) {
      const std::int32_t q = round_to_int(x[i] * block.inverse);
      const std::int32_t coarse = round_to_int(static_cast<float>(q) * (1.0f / kFineStep));
      to.quants[b * kBlockElements + i] = static_cast<std::int8_t>(coarse);
      to.fine[b * kBlockElements + i] = static_cast<std::int8_t>(q - coarse * kFineStep);
      sum += q;
    }
    store_sums(to, b, block.scale, sum);
  }
}

}  // namespace

const Kernels& portable_kernels() {
  static constexpr Kernels kernels = {"portable",
                                      quantize_row,
                                      quantize_row_fine,
                                      sum_of_squares,
                                      scale_row,
                                      silu_mul,
                                      gelu_mul,
                                      exp_row,
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
                                      product_quantized<PackedQ8_0, 0>};
  return kernels;
}

}  // namespace emberline
