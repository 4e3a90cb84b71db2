// The kernel set for any processor: plain loops over 8 lanes, which compilers turn into the baseline's
// vectors.
#include "base/half.h"
#include "device/cpu/kernels/kernels.h"

namespace emberline {
namespace {

constexpr float kRoundingBias =
    12582912.0f;  // 1.5 * 2^23: adding it leaves the nearest integer in the low bits

struct Vector {
  struct Lanes {
    float v[kLanes];
  };

  template <typename F>
  static Lanes generate(F f) {
    Lanes r;
    for (std::size_t i = 0; i < kLanes; ++i) r.v[i] = f(i);
    return r;
  }
  static Lanes load(const float* p) {
    return generate([p](std::size_t i) { return p[i]; });
  }
  static Lanes load_partial(const float* p, std::size_t n) {
    return generate([p, n](std::size_t i) { return i < n ? p[i] : 0.0f; });
  }
  static Lanes load_halves(const std::uint16_t* p) {
    return generate([p](std::size_t i) { return f16_to_f32(p[i]); });
  }
  static Lanes load_bf16(const std::uint16_t* p) {
    return generate([p](std::size_t i) { return bf16_to_f32(p[i]); });
  }
  static void store(float* p, const Lanes& a) { store_partial(p, kLanes, a); }
  static void store_partial(float* p, std::size_t n, const Lanes& a) {
    for (std::size_t i = 0; i < n; ++i) p[i] = a.v[i];
  }
  static void store_halves(std::uint16_t* p, const Lanes& a) {
    for (std::size_t i = 0; i < kLanes; ++i) p[i] = f32_to_f16(a.v[i]);
  }
  static Lanes set(float x) {
    return generate([x](std::size_t) { return x; });
  }
  static Lanes add(const Lanes& a, const Lanes& b) {
    return generate([&](std::size_t i) { return a.v[i] + b.v[i]; });
  }
  static Lanes sub(const Lanes& a, const Lanes& b) {
    return generate([&](std::size_t i) { return a.v[i] - b.v[i]; });
  }
  static Lanes mul(const Lanes& a, const Lanes& b) {
    return generate([&](std::size_t i) { return a.v[i] * b.v[i]; });
  }
  static Lanes div(const Lanes& a, const Lanes& b) {
    return generate([&](std::size_t i) { return a.v[i] / b.v[i]; });
  }
  static Lanes fma(const Lanes& a, const Lanes& b, const Lanes& c) {
    return generate([&](std::size_t i) { return a.v[i] * b.v[i] + c.v[i]; });
  }
  static Lanes max(const Lanes& a, const Lanes& b) {
    return generate([&](std::size_t i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
  }
  static Lanes min(const Lanes& a, const Lanes& b) {
    return generate([&](std::size_t i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
  }
  static Lanes round(const Lanes& a) {
    return generate([&](std::size_t i) { return (a.v[i] + kRoundingBias) - kRoundingBias; });
  }
  static Lanes power_of_two(const Lanes& n) {
    return generate([&](std::size_t i) {
      const std::uint32_t integer = f32_to_bits(n.v[i] + kRoundingBias) - f32_to_bits(kRoundingBias);
      return f32_from_bits((integer + 127u) << 23);
    });
  }
  static Lanes zero_below(const Lanes& x, float limit, const Lanes& value) {
    return generate([&](std::size_t i) { return x.v[i] < limit ? 0.0f : value.v[i]; });
  }
  static float sum(const Lanes& a) {
    return ((a.v[0] + a.v[4]) + (a.v[2] + a.v[6])) + ((a.v[1] + a.v[5]) + (a.v[3] + a.v[7]));
  }
};

}  // namespace
}  // namespace emberline

#include "device/cpu/kernels/kernel_loops.h"

namespace emberline {
namespace {

std::uint16_t read_u16(const std::uint8_t* p) {
  return static_cast<std::uint16_t>(p[0] | (p[1] << 8));
}

// To nearest, ties to even. What is not finite gives an arbitrary integer; all are within 16 bits.
std::int32_t round_to_int(float x) {
  return static_cast<std::int16_t>(f32_to_bits(x + kRoundingBias) - f32_to_bits(kRoundingBias));
}

void quantize_row(const float* x, std::size_t n, std::int8_t* quants, float* scales, float* sums) {
  for (std::size_t b = 0; b < n / kBlockElements; ++b, x += kBlockElements, quants += kBlockElements) {
    float largest = 0.0f, poison = 0.0f;
    for (std::size_t i = 0; i < kBlockElements; ++i) {
      const float magnitude = x[i] < 0.0f ? -x[i] : x[i];
      largest = magnitude > largest ? magnitude : largest;
      poison += x[i] * 0.0f;
    }
    const bool zero = largest < 1e-30f;
    const float inverse = zero ? 0.0f : 127.0f / largest;
    const float scale = (zero ? 0.0f : largest / 127.0f) + poison;
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < kBlockElements; ++i) {
      quants[i] = static_cast<std::int8_t>(round_to_int(x[i] * inverse));
      sum += quants[i];
    }
    scales[b] = scale;
    sums[b] = scale * static_cast<float>(sum);
  }
}

void quantize_row_fine(const float* x, std::size_t n, std::int8_t* quants, std::int8_t* fine, float* scales,
                       float* sums) {
  constexpr float kLargestQuant = 127 * kFineStep + 127;
  for (std::size_t b = 0; b < n / kBlockElements;
       ++b, x += kBlockElements, quants += kBlockElements, fine += kBlockElements) {
    float largest = 0.0f, poison = 0.0f;
    for (std::size_t i = 0; i < kBlockElements; ++i) {
      const float magnitude = x[i] < 0.0f ? -x[i] : x[i];
      largest = magnitude > largest ? magnitude : largest;
      poison += x[i] * 0.0f;
    }
    const bool zero = largest < 1e-30f;
    const float inverse = zero ? 0.0f : kLargestQuant / largest;
    const float scale = (zero ? 0.0f : largest / kLargestQuant) + poison;
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < kBlockElements; ++i) {
      const std::int32_t q = round_to_int(x[i] * inverse);
      const std::int32_t coarse = round_to_int(static_cast<float>(q) * (1.0f / kFineStep));
      quants[i] = static_cast<std::int8_t>(coarse);
      fine[i] = static_cast<std::int8_t>(q - coarse * kFineStep);
      sum += q;
    }
    scales[b] = scale;
    sums[b] = scale * static_cast<float>(sum);
  }
}

// A block as integers, with value = d * quant + m.
struct WidenedBlock {
  std::int16_t quants[kBlockElements];
  float d, m;
};

struct Q4_0 {
  static constexpr std::size_t kBytes = 18;
  static constexpr bool kHasMinimum = true;
  static void widen(const std::uint8_t* p, WidenedBlock& block) {
    block.d = f16_to_f32(read_u16(p));
    block.m = -8.0f * block.d;
    for (std::size_t i = 0; i < 16; ++i) {
      block.quants[i] = p[2 + i] & 15;
      block.quants[i + 16] = p[2 + i] >> 4;
    }
  }
};

struct Q4_1 {
  static constexpr std::size_t kBytes = 20;
  static constexpr bool kHasMinimum = true;
  static void widen(const std::uint8_t* p, WidenedBlock& block) {
    block.d = f16_to_f32(read_u16(p));
    block.m = f16_to_f32(read_u16(p + 2));
    for (std::size_t i = 0; i < 16; ++i) {
      block.quants[i] = p[4 + i] & 15;
      block.quants[i + 16] = p[4 + i] >> 4;
    }
  }
};

void widen_five_bits(const std::uint8_t* high, const std::uint8_t* nibbles, std::int16_t* quants) {
  for (std::size_t i = 0; i < 16; ++i) {
    quants[i] = static_cast<std::int16_t>((nibbles[i] & 15) | (((high[i / 8] >> (i % 8)) & 1) << 4));
    quants[i + 16] = static_cast<std::int16_t>((nibbles[i] >> 4) | (((high[2 + i / 8] >> (i % 8)) & 1) << 4));
  }
}

struct Q5_0 {
  static constexpr std::size_t kBytes = 22;
  static constexpr bool kHasMinimum = true;
  static void widen(const std::uint8_t* p, WidenedBlock& block) {
    block.d = f16_to_f32(read_u16(p));
    block.m = -16.0f * block.d;
    widen_five_bits(p + 2, p + 6, block.quants);
  }
};

struct Q5_1 {
  static constexpr std::size_t kBytes = 24;
  static constexpr bool kHasMinimum = true;
  static void widen(const std::uint8_t* p, WidenedBlock& block) {
    block.d = f16_to_f32(read_u16(p));
    block.m = f16_to_f32(read_u16(p + 2));
    widen_five_bits(p + 4, p + 8, block.quants);
  }
};

struct Q8_0 {
  static constexpr std::size_t kBytes = 34;
  static constexpr bool kHasMinimum = false;
  static void widen(const std::uint8_t* p, WidenedBlock& block) {
    block.d = f16_to_f32(read_u16(p));
    for (std::size_t i = 0; i < kBlockElements; ++i) block.quants[i] = static_cast<std::int8_t>(p[2 + i]);
  }
};

std::int32_t multiply(const WidenedBlock& weights, const std::int8_t* quants) {
  std::int32_t dot = 0;
  for (std::size_t k = 0; k < kBlockElements; ++k) dot += weights.quants[k] * quants[k];
  return dot;
}

template <typename Format>
void product_quantized(const WeightRows& rows, const ActivationRows& x, float* tile, std::uint8_t*) {
  const std::size_t blocks = x.width / kBlockElements;
  for (std::size_t i = 0; i < x.rows * kTileRows; ++i) tile[i] = 0.0f;
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t i = 0; i < kTileRows; ++i) {
      WidenedBlock weights;
      Format::widen(rows.data + i * rows.row_bytes + b * Format::kBytes, weights);
      for (std::size_t r = 0; r < x.rows; ++r) {
        const std::size_t at = r * x.width + b * kBlockElements;
        std::int32_t dot = multiply(weights, x.quants + at);
        if (x.fine != nullptr) dot = dot * kFineStep + multiply(weights, x.fine + at);
        float& y = tile[r * kTileRows + i];
        y += weights.d * x.scales[r * blocks + b] * static_cast<float>(dot);
        if constexpr (Format::kHasMinimum) y += weights.m * x.sums[r * blocks + b];
      }
    }
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
                                      exp_row,
                                      scan_logits,
                                      widen_halves,
                                      narrow_to_halves,
                                      attend<float>,
                                      attend<std::uint16_t>,
                                      product_float<F32Weights>,
                                      product_float<F16Weights>,
                                      product_float<Bf16Weights>,
                                      product_quantized<Q4_0>,
                                      product_quantized<Q4_1>,
                                      product_quantized<Q5_0>,
                                      product_quantized<Q5_1>,
                                      product_quantized<Q8_0>};
  return kernels;
}

}  // namespace emberline
