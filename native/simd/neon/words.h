// `Words` (simd/README.md) as a pair of NEON registers: the first half is the lower one.
#pragma once

#include "simd/neon/vector.h"

#include "simd/append_chosen.h"

namespace emberline {
namespace {

struct Words {
  struct Lanes {
    uint32x4_t low, high;
  };
  using Half = uint32x4_t;
  struct Longs {
    uint64x2_t low, high;
  };

  static Lanes bits(Vector::Lanes a) { return {vreinterpretq_u32_f32(a.low), vreinterpretq_u32_f32(a.high)}; }
  static Vector::Lanes floats(Lanes a) {
    return {vreinterpretq_f32_u32(a.low), vreinterpretq_f32_u32(a.high)};
  }
  static Lanes convert(Vector::Lanes a) { return {vcvtq_u32_f32(a.low), vcvtq_u32_f32(a.high)}; }
  template <int bits>
  static Lanes shift_left(Lanes a) {
    return {vshlq_n_u32(a.low, bits), vshlq_n_u32(a.high, bits)};
  }
  static uint32x4_t flip_positive(uint32x4_t a) {
    const uint32x4_t negative = vreinterpretq_u32_s32(vshrq_n_s32(vreinterpretq_s32_u32(a), 31));
    return veorq_u32(a, vbicq_u32(vdupq_n_u32(0x7FFFFFFF), negative));
  }
  static Lanes flip_positive(Lanes a) { return {flip_positive(a.low), flip_positive(a.high)}; }
  static uint32x4_t upper_halves(Longs a) {
    return vuzp2q_u32(vreinterpretq_u32_u64(a.low), vreinterpretq_u32_u64(a.high));
  }
  static Lanes upper_halves(Longs first, Longs second) { return {upper_halves(first), upper_halves(second)}; }
  static std::size_t append_pairs(Lanes upper, std::uint32_t chosen, std::uint32_t first,
                                  std::uint64_t* out) {
    constexpr std::uint32_t kLane[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const uint32x4_t low = vaddq_u32(vdupq_n_u32(first), vld1q_u32(kLane));
    const uint32x4_t high = vaddq_u32(vdupq_n_u32(first), vld1q_u32(kLane + 4));
    std::uint64_t pairs[Vector::kLanes];
    store(pairs, interleave(low, upper.low));
    store(pairs + 4, interleave(high, upper.high));
    return append_chosen(pairs, chosen, out);
  }
  static Longs interleave(uint32x4_t lower, uint32x4_t upper) {
    return {vreinterpretq_u64_u32(vzip1q_u32(lower, upper)), vreinterpretq_u64_u32(vzip2q_u32(lower, upper))};
  }

  static Half set_half(std::uint32_t x) { return vdupq_n_u32(x); }
  static Half first(Lanes a) { return a.low; }
  static Half second(Lanes a) { return a.high; }
  static Half sub(Half a, Half b) { return vsubq_u32(a, b); }
  template <int bits>
  static Half multiply_shift(Half a, Half b) {
    const Half upper = upper_halves(Longs{vmull_u32(vget_low_u32(a), vget_low_u32(b)), vmull_high_u32(a, b)});
    if constexpr (bits == 32)
      return upper;
    else
      return vshrq_n_u32(upper, bits - 32);
  }

  static Longs zero() { return {vdupq_n_u64(0), vdupq_n_u64(0)}; }
  static Longs widen(Half a) { return {vmovl_u32(vget_low_u32(a)), vmovl_high_u32(a)}; }
  static Longs widen_first(Lanes a) { return widen(a.low); }
  static Longs widen_second(Lanes a) { return widen(a.high); }
  static Longs load(const std::uint64_t* p) { return {vld1q_u64(p), vld1q_u64(p + 2)}; }
  static void store(std::uint64_t* p, Longs a) {
    vst1q_u64(p, a.low);
    vst1q_u64(p + 2, a.high);
  }
  static Longs load_partial(const std::uint64_t* p, std::size_t n) {
    std::uint64_t longs[Vector::kLanes / 2] = {};
    for (std::size_t i = 0; i < n; ++i) longs[i] = p[i];
    return load(longs);
  }
  static void store_partial(std::uint64_t* p, std::size_t n, Longs a) {
    std::uint64_t longs[Vector::kLanes / 2];
    store(longs, a);
    for (std::size_t i = 0; i < n; ++i) p[i] = longs[i];
  }
  static Longs add(Longs a, Longs b) { return {vaddq_u64(a.low, b.low), vaddq_u64(a.high, b.high)}; }
  template <int bits>
  static Longs shift_left_longs(Longs a) {
    return {vshlq_n_u64(a.low, bits), vshlq_n_u64(a.high, bits)};
  }
  static uint64x2_t shift_right_each(uint64x2_t a, uint64x2_t by) {
    return vshlq_u64(a, vnegq_s64(vreinterpretq_s64_u64(by)));
  }
  static Longs shift_right_each(Longs a, Longs by) {
    return {shift_right_each(a.low, by.low), shift_right_each(a.high, by.high)};
  }
  static std::uint64_t sum(Longs a) { return vaddvq_u64(vaddq_u64(a.low, a.high)); }
};

}  // namespace
}  // namespace emberline
