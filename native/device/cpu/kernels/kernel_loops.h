// The float loops of a kernel set, written once over a vector of kLanes lanes. Included by the kernels_*.cpp
// files alone, behind the `Vector` of their set (simd/README.md).
//
// Everything is in an unnamed namespace: each kernel set gets copies of its own (kernels.h tells why).
#pragma once

#include "base/half.h"
#include "device/cpu/kernels/kernels.h"
#include "device/cpu/kernels/unroll.h"

namespace emberline {
namespace {

using Lanes = Vector::Lanes;
constexpr std::size_t kLanes = Vector::kLanes;

// exp by x = n ln 2 + r, |r| <= ln 2 / 2; polynomial of Cephes' expf (S. L. Moshier), relative error below
// 2e-7.
inline Lanes exp_lanes(Lanes x) {
  constexpr float kLargest = 88.0f;
  constexpr float kSmallest = -87.3365447f;  // ln of the smallest normal float32
  const Lanes bounded = Vector::min(Vector::set(kLargest), Vector::max(Vector::set(kSmallest), x));
  const Lanes n = Vector::round(Vector::mul(bounded, Vector::set(1.44269504f)));
  // ln 2 in two parts; n times the first is exact.
  Lanes r = Vector::fma(n, Vector::set(-0.693359375f), bounded);
  r = Vector::fma(n, Vector::set(2.12194440e-4f), r);
  Lanes p = Vector::set(1.9875691500e-4f);
  p = Vector::fma(p, r, Vector::set(1.3981999507e-3f));
  p = Vector::fma(p, r, Vector::set(8.3334519073e-3f));
  p = Vector::fma(p, r, Vector::set(4.1665795894e-2f));
  p = Vector::fma(p, r, Vector::set(1.6666665459e-1f));
  p = Vector::fma(p, r, Vector::set(5.0000001201e-1f));
  p = Vector::fma(p, Vector::mul(r, r), r);
  p = Vector::add(p, Vector::set(1.0f));
  return Vector::zero_below(x, kSmallest, Vector::mul(p, Vector::power_of_two(n)));
}

float sum_of_squares(const float* x, std::size_t n) {
  Lanes sum = Vector::set(0.0f);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Lanes v = Vector::load(x + i);
    sum = Vector::fma(v, v, sum);
  }
  if (i < n) {
    const Lanes v = Vector::load_partial(x + i, n - i);
    sum = Vector::fma(v, v, sum);
  }
  return Vector::sum(sum);
}

// out[i] = f(a[i], b[i]), lane by lane, so that a tail gives the same bits as a full vector.
template <typename F>
inline void map_pairs(const float* a, const float* b, std::size_t n, float* out, F f) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) Vector::store(out + i, f(Vector::load(a + i), Vector::load(b + i)));
  if (i < n) {
    const Lanes last = f(Vector::load_partial(a + i, n - i), Vector::load_partial(b + i, n - i));
    Vector::store_partial(out + i, n - i, last);
  }
}

void scale_row(const float* x, const float* gain, float scale, std::size_t n, float* out) {
  const Lanes s = Vector::set(scale);
  map_pairs(x, gain, n, out, [s](Lanes v, Lanes g) { return Vector::mul(Vector::mul(v, s), g); });
}

void silu_mul(const float* gate, const float* up, std::size_t n, float* out) {
  const Lanes one = Vector::set(1.0f);
  const Lanes zero = Vector::set(0.0f);
  map_pairs(gate, up, n, out, [one, zero](Lanes g, Lanes u) {
    return Vector::mul(Vector::div(g, Vector::add(one, exp_lanes(Vector::sub(zero, g)))), u);
  });
}

// (1 + tanh(u)) / 2 = 1 / (1 + exp(-2u)): as accurate as the exponential where tanh itself would cancel.
void gelu_mul(const float* gate, const float* up, std::size_t n, float* out) {
  const Lanes one = Vector::set(1.0f);
  const Lanes cubic = Vector::set(0.044715f);
  const Lanes slope = Vector::set(-1.5957691f);  // -2 sqrt(2 / pi)
  map_pairs(gate, up, n, out, [one, cubic, slope](Lanes g, Lanes u) {
    const Lanes inner = Vector::mul(g, Vector::fma(Vector::mul(g, g), cubic, one));
    return Vector::mul(Vector::div(g, Vector::add(one, exp_lanes(Vector::mul(inner, slope)))), u);
  });
}

constexpr GateKernel kGateKernels[] = {silu_mul, gelu_mul};
static_assert(sizeof(kGateKernels) / sizeof(GateKernel) == kGateActivations);

void exp_row(const float* x, std::size_t n, float* out) {
  map_pairs(x, x, n, out, [](Lanes v, Lanes) { return exp_lanes(v); });
}

// tanh(u) = 1 - 2 / (1 + exp(2u)): off by an ulp of 1, so that what is capped is off by an ulp of the cap.
void soft_cap_row(const float* x, std::size_t n, float cap, float* out) {
  const Lanes one = Vector::set(1.0f), two = Vector::set(2.0f);
  const Lanes limit = Vector::set(cap), slope = Vector::set(2.0f / cap);
  map_pairs(x, x, n, out, [=](Lanes v, Lanes) {
    const Lanes below = Vector::div(two, Vector::add(one, exp_lanes(Vector::mul(v, slope))));
    return Vector::mul(Vector::sub(one, below), limit);
  });
}

LogitsScan scan_logits(const float* x, std::size_t n) {
  constexpr float kLowest = -3.40282347e+38f;
  Lanes largest = Vector::set(kLowest);
  Lanes poison = Vector::set(0.0f);  // stays zero unless some x * 0 is NaN
  const Lanes zero = Vector::set(0.0f);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Lanes v = Vector::load(x + i);
    largest = Vector::max(v, largest);
    poison = Vector::fma(v, zero, poison);
  }
  float lanes[kLanes];
  Vector::store(lanes, largest);
  LogitsScan scan{kLowest, 0, 0.0f, true};
  for (float lane : lanes) scan.max = lane > scan.max ? lane : scan.max;
  for (std::size_t j = i; j < n; ++j) scan.max = x[j] > scan.max ? x[j] : scan.max;
  if (i < n) poison = Vector::fma(Vector::load_partial(x + i, n - i), zero, poison);
  scan.finite = Vector::sum(poison) == 0.0f;
  if (!scan.finite) return scan;
  while (x[scan.index] != scan.max) ++scan.index;
  const Lanes max = Vector::set(scan.max);
  Lanes sum = zero;
  for (i = 0; i + kLanes <= n; i += kLanes) {
    sum = Vector::add(sum, exp_lanes(Vector::sub(Vector::load(x + i), max)));
  }
  if (i < n) {
    float tail[kLanes];
    for (std::size_t j = 0; j < kLanes; ++j) tail[j] = i + j < n ? x[i + j] : -3.0e38f;  // exp of which is 0
    sum = Vector::add(sum, exp_lanes(Vector::sub(Vector::load(tail), max)));
  }
  scan.exp_sum = Vector::sum(sum);
  return scan;
}

void widen_halves(const std::uint16_t* from, std::size_t n, float* to) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) Vector::store(to + i, Vector::load_halves(from + i));
  for (; i < n; ++i) to[i] = f16_to_f32(from[i]);
}

void narrow_to_halves(const float* from, std::size_t n, std::uint16_t* to) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) Vector::store_halves(to + i, Vector::load(from + i));
  for (; i < n; ++i) to[i] = f32_to_f16(from[i]);
}

// Products with float weights: each element of y is one lane of one accumulator, columns in order.

// Rows v * kLanes and on of a panel, of column c.
inline Lanes load_column(const PackedF32* panel, std::size_t c, std::size_t v) {
  return Vector::load(panel[c].values + v * kLanes);
}
inline Lanes load_column(const PackedF16* panel, std::size_t c, std::size_t v) {
  return Vector::load_halves(panel[c].values + v * kLanes);
}
inline Lanes load_column(const PackedBf16* panel, std::size_t c, std::size_t v) {
  const auto* pairs = panel[c / 2].values[v * kLanes];
  return c % 2 == 0 ? Vector::load_bf16_first(pairs) : Vector::load_bf16_second(pairs);
}

// kPanels panels with kRows rows of x, so that there are enough independent sums to hide the latency of an
// addition.
template <typename Block, std::size_t kPanels, std::size_t kRows>
inline void product_float_tile(const std::uint8_t* data, std::size_t panel_bytes, const float* x,
                               std::size_t width, float* y, std::size_t stride) {
  constexpr std::size_t kVectors = kPanelRows / kLanes;
  Lanes sums[kRows][kPanels * kVectors];
  EMBERLINE_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    EMBERLINE_UNROLL
    for (std::size_t v = 0; v < kPanels * kVectors; ++v) sums[r][v] = Vector::set(0.0f);
  }
  for (std::size_t c = 0; c < width; ++c) {
    EMBERLINE_UNROLL
    for (std::size_t v = 0; v < kPanels * kVectors; ++v) {
      const Lanes weights =
          load_column(reinterpret_cast<const Block*>(data + v / kVectors * panel_bytes), c, v % kVectors);
      EMBERLINE_UNROLL
      for (std::size_t r = 0; r < kRows; ++r)
        sums[r][v] = Vector::fma(weights, Vector::set(x[r * width + c]), sums[r][v]);
    }
  }
  EMBERLINE_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    EMBERLINE_UNROLL
    for (std::size_t v = 0; v < kPanels * kVectors; ++v)
      Vector::store(y + r * stride + v * kLanes, sums[r][v]);
  }
}

// kPanels neighbouring panels with the rows of x from `r` on: kRows at a time while there are so many, then
// fewer. Many rows meet a panel at a time, few of them all of the panels.
template <typename Block, std::size_t kPanels, std::size_t kRows>
inline void product_float_rows(const std::uint8_t* data, std::size_t panel_bytes, const ActivationRows& x,
                               std::size_t r, float* y, std::size_t stride) {
  constexpr std::size_t kMostSums = kLanes == 16 ? 16 : 8;
  constexpr std::size_t kTogether = kRows * kPanels * kPanelRows / kLanes <= kMostSums ? kPanels : 1;
  for (; r + kRows <= x.rows; r += kRows) {
    for (std::size_t p = 0; p < kPanels; p += kTogether) {
      product_float_tile<Block, kTogether, kRows>(data + p * panel_bytes, panel_bytes, x.values + r * x.width,
                                                  x.width, y + r * stride + p * kPanelRows, stride);
    }
  }
  if constexpr (kRows > 1) {
    constexpr std::size_t kFewer = kRows > 4 ? 4 : kRows / 2;
    if (r < x.rows) product_float_rows<Block, kPanels, kFewer>(data, panel_bytes, x, r, y, stride);
  }
}

template <typename Block>
void product_float(const Panels& panels, const ActivationRows& x, float* y, std::size_t stride) {
  constexpr std::size_t kTogether = kLanes == 16 ? 4 : 2, kRows = kLanes == 16 ? 12 : 4;
  const std::uint8_t* data = panels.data;
  std::size_t p = 0;
  for (; p + kTogether <= panels.count; p += kTogether, data += kTogether * panels.panel_bytes) {
    product_float_rows<Block, kTogether, kRows>(data, panels.panel_bytes, x, 0, y + p * kPanelRows, stride);
  }
  for (; p < panels.count; ++p, data += panels.panel_bytes)
    product_float_rows<Block, 1, kRows>(data, panels.panel_bytes, x, 0, y + p * kPanelRows, stride);
}

}  // namespace
}  // namespace emberline
