// `Words` (simd/README.md) for any processor.
#pragma once

#include "simd/portable/vector.h"

namespace emberline {
namespace {

struct Words {
  template <typename T, std::size_t count>
  struct Array {
    T v[count];
    // f of every lane.
    template <typename F>
    static Array generate(F f) {
      Array r;
      for (std::size_t i = 0; i < count; ++i) r.v[i] = f(i);
      return r;
    }
  };
  static constexpr std::size_t kHalf = Vector::kLanes / 2;
  using Lanes = Array<std::uint32_t, Vector::kLanes>;
  using Half = Array<std::uint32_t, kHalf>;
  using Longs = Array<std::uint64_t, kHalf>;

  static Lanes bits(const Vector::Lanes& a) { return load_lanes<Lanes>(&a); }
  static Vector::Lanes floats(const Lanes& a) { return load_lanes<Vector::Lanes>(&a); }
  static Lanes convert(const Vector::Lanes& a) {
    const auto x = load_lanes<Array<float, Vector::kLanes>>(&a);
    return Lanes::generate([&](std::size_t i) { return static_cast<std::int32_t>(x.v[i]); });
  }
  template <int bits>
  static Lanes shift_left(const Lanes& a) {
    return Lanes::generate([&](std::size_t i) { return a.v[i] << bits; });
  }
  static Lanes flip_positive(const Lanes& a) {
    return Lanes::generate([&](std::size_t i) { return a.v[i] ^ (((a.v[i] >> 31) - 1u) >> 1); });
  }
  static Lanes upper_halves(const Longs& first, const Longs& second) {
    return Lanes::generate([&](std::size_t i) {
      return static_cast<std::uint32_t>((i < kHalf ? first.v[i] : second.v[i - kHalf]) >> 32);
    });
  }
  static std::size_t append_pairs(const Lanes& upper, std::uint32_t chosen, std::uint32_t first,
                                  std::uint64_t* out) {
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < Vector::kLanes; ++i) {
      out[count] = std::uint64_t{upper.v[i]} << 32 | (first + i);
      count += (chosen >> i) & 1u;
    }
    return count;
  }

  static Half set_half(std::uint32_t x) {
    return Half::generate([&](std::size_t) { return x; });
  }
  static Half first(const Lanes& a) { return load_lanes<Half>(a.v); }
  static Half second(const Lanes& a) { return load_lanes<Half>(a.v + kHalf); }
  static Half sub(const Half& a, const Half& b) {
    return Half::generate([&](std::size_t i) { return a.v[i] - b.v[i]; });
  }
  template <int bits>
  static Half multiply_shift(const Half& a, const Half& b) {
    return Half::generate(
        [&](std::size_t i) { return static_cast<std::uint32_t>((std::uint64_t{a.v[i]} * b.v[i]) >> bits); });
  }

  static Longs zero() { return {}; }
  static Longs widen(const Half& a) {
    return Longs::generate([&](std::size_t i) { return a.v[i]; });
  }
  static Longs widen_first(const Lanes& a) { return widen(first(a)); }
  static Longs widen_second(const Lanes& a) { return widen(second(a)); }
  static Longs load(const std::uint64_t* p) { return load_lanes<Longs>(p); }
  static void store(std::uint64_t* p, const Longs& a) { store_lanes(p, a); }
  static Longs load_partial(const std::uint64_t* p, std::size_t n) {
    return Longs::generate([&](std::size_t i) { return i < n ? p[i] : 0; });
  }
  static void store_partial(std::uint64_t* p, std::size_t n, const Longs& a) {
    for (std::size_t i = 0; i < n; ++i) p[i] = a.v[i];
  }
  static Longs add(const Longs& a, const Longs& b) {
    return Longs::generate([&](std::size_t i) { return a.v[i] + b.v[i]; });
  }
  template <int bits>
  static Longs shift_left_longs(const Longs& a) {
    return Longs::generate([&](std::size_t i) { return a.v[i] << bits; });
  }
  static Longs shift_right_each(const Longs& a, const Longs& by) {
    return Longs::generate([&](std::size_t i) { return a.v[i] >> by.v[i]; });
  }
  static std::uint64_t sum(const Longs& a) {
    std::uint64_t r = 0;
    for (const std::uint64_t each : a.v) r += each;
    return r;
  }
};

}  // namespace
}  // namespace emberline
