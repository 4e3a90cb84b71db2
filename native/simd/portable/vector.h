// `Vector` (simd/README.md) for any processor: plain loops over 8 lanes, which compilers turn into the
// baseline's vectors.
#pragma once

#include "simd/portable/lanes.h"

#include "base/half.h"

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
  static void prefetch(const void* p) {
#if defined(__GNUC__)
    __builtin_prefetch(p);
#else
    static_cast<void>(p);
#endif
  }
  static Lanes load(const float* p) { return {load_lanes<Floats>(p), load_lanes<Floats>(p + kLanes / 2)}; }
  static Lanes load_partial(const float* p, std::size_t n) {
    return generate([p, n](std::size_t i) { return i < n ? p[i] : 0.0f; });
  }
  static Lanes load_halves(const std::uint16_t* p) {
    return generate([p](std::size_t i) { return f16_to_f32(p[i]); });
  }
  static Lanes load_bytes(const std::int8_t* p) {
    return generate([p](std::size_t i) { return static_cast<float>(p[i]); });
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
  static void store_bytes(std::int8_t* p, const Lanes& a) {
    float x[kLanes];
    store(x, a);
    for (std::size_t i = 0; i < kLanes; ++i)
      p[i] = static_cast<std::int8_t>(f32_to_bits(x[i] + kRoundingBias) & 0xFFu);
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
  static Lanes larger(const Lanes& a, const Lanes& b) { return max(a, b); }
  static Lanes round(const Lanes& a) {
    const Lanes bias = set(kRoundingBias);
    return sub(add(a, bias), bias);
  }
  static Lanes truncate(const Lanes& a) {
    return map(a, a, [](float x, float) { return static_cast<float>(static_cast<std::int32_t>(x)); });
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
  static float largest(const Lanes& a) {
    float v[kLanes];
    store(v, a);
    for (std::size_t i = 1; i < kLanes; ++i) v[0] = v[i] > v[0] ? v[i] : v[0];
    return v[0];
  }

  struct Mask {
    Ints low, high;  // all ones or zero
  };
  static Mask at_most(const Lanes& a, const Lanes& b) { return {a.low <= b.low, a.high <= b.high}; }
  static Mask both(const Mask& a, const Mask& b) { return {a.low & b.low, a.high & b.high}; }
  static std::uint32_t bits(const Mask& a) {
    std::int32_t bits[kLanes / 2], r = 0;
    store_lanes(bits, (a.low & Ints{1, 2, 4, 8}) + (a.high & Ints{16, 32, 64, 128}));
    for (const std::int32_t each : bits) r += each;
    return static_cast<std::uint32_t>(r);
  }
};

}  // namespace
}  // namespace emberline
