// `Vector` (simd/README.md) as a pair of NEON registers, which every processor with AArch64 has.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

namespace emberline {
namespace {

struct Vector {
  static constexpr std::size_t kLanes = 8;
  struct Lanes {
    float32x4_t low, high;
  };

  static void prefetch(const void* p) {
#if defined(_MSC_VER) && !defined(__clang__)
    __prefetch(p);
#else
    __builtin_prefetch(p);
#endif
  }
  static Lanes load(const float* p) { return {vld1q_f32(p), vld1q_f32(p + 4)}; }
  static void store(float* p, Lanes a) {
    vst1q_f32(p, a.low);
    vst1q_f32(p + 4, a.high);
  }
  static Lanes load_partial(const float* p, std::size_t n) {
    float lanes[kLanes] = {};
    for (std::size_t i = 0; i < n; ++i) lanes[i] = p[i];
    return load(lanes);
  }
  static void store_partial(float* p, std::size_t n, Lanes a) {
    float lanes[kLanes];
    store(lanes, a);
    for (std::size_t i = 0; i < n; ++i) p[i] = lanes[i];
  }
  static float32x4_t widen_half(uint16x4_t halves) { return vcvt_f32_f16(vreinterpret_f16_u16(halves)); }
  static Lanes load_halves(const std::uint16_t* p) {
    const uint16x8_t halves = vld1q_u16(p);
    return {widen_half(vget_low_u16(halves)), widen_half(vget_high_u16(halves))};
  }
  static void store_halves(std::uint16_t* p, Lanes a) {
    vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(a.low)));
    vst1_u16(p + 4, vreinterpret_u16_f16(vcvt_f16_f32(a.high)));
  }
  static Lanes load_bytes(const std::int8_t* p) {
    const int16x8_t words = vmovl_s8(vld1_s8(p));
    return {vcvtq_f32_s32(vmovl_s16(vget_low_s16(words))), vcvtq_f32_s32(vmovl_s16(vget_high_s16(words)))};
  }
  static void store_bytes(std::int8_t* p, Lanes a) {
    const int16x4_t low = vqmovn_s32(vcvtq_s32_f32(a.low)), high = vqmovn_s32(vcvtq_s32_f32(a.high));
    vst1_s8(p, vqmovn_s16(vcombine_s16(low, high)));
  }
  static float32x4_t first_bf16(uint16x8_t pairs) {
    return vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_u16(pairs), 16));
  }
  static float32x4_t second_bf16(uint16x8_t pairs) {
    return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_u16(pairs), vdupq_n_u32(0xFFFF0000u)));
  }
  static Lanes load_bf16_first(const std::uint16_t* p) {
    return {first_bf16(vld1q_u16(p)), first_bf16(vld1q_u16(p + 8))};
  }
  static Lanes load_bf16_second(const std::uint16_t* p) {
    return {second_bf16(vld1q_u16(p)), second_bf16(vld1q_u16(p + 8))};
  }
  static Lanes set(float x) { return {vdupq_n_f32(x), vdupq_n_f32(x)}; }
  static Lanes add(Lanes a, Lanes b) { return {vaddq_f32(a.low, b.low), vaddq_f32(a.high, b.high)}; }
  static Lanes sub(Lanes a, Lanes b) { return {vsubq_f32(a.low, b.low), vsubq_f32(a.high, b.high)}; }
  static Lanes mul(Lanes a, Lanes b) { return {vmulq_f32(a.low, b.low), vmulq_f32(a.high, b.high)}; }
  static Lanes div(Lanes a, Lanes b) { return {vdivq_f32(a.low, b.low), vdivq_f32(a.high, b.high)}; }
  static Lanes fma(Lanes a, Lanes b, Lanes c) {
    return {vfmaq_f32(c.low, a.low, b.low), vfmaq_f32(c.high, a.high, b.high)};
  }
  // Comparisons, not fmax and fmin: those treat NaN in other ways.
  static float32x4_t max(float32x4_t a, float32x4_t b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }
  static Lanes max(Lanes a, Lanes b) { return {max(a.low, b.low), max(a.high, b.high)}; }
  static float32x4_t min(float32x4_t a, float32x4_t b) { return vbslq_f32(vcltq_f32(a, b), a, b); }
  static Lanes min(Lanes a, Lanes b) { return {min(a.low, b.low), min(a.high, b.high)}; }
  static Lanes larger(Lanes a, Lanes b) { return {vmaxq_f32(a.low, b.low), vmaxq_f32(a.high, b.high)}; }
  static Lanes round(Lanes a) { return {vrndnq_f32(a.low), vrndnq_f32(a.high)}; }
  static Lanes truncate(Lanes a) { return {vrndq_f32(a.low), vrndq_f32(a.high)}; }
  static float32x4_t two_to(float32x4_t n) {
    const int32x4_t exponent = vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(127));
    return vreinterpretq_f32_s32(vshlq_n_s32(exponent, 23));
  }
  static Lanes power_of_two(Lanes n) { return {two_to(n.low), two_to(n.high)}; }
  static float32x4_t clear_below(float32x4_t x, float limit, float32x4_t value) {
    const uint32x4_t below = vcltq_f32(x, vdupq_n_f32(limit));
    return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(value), below));
  }
  static Lanes zero_below(Lanes x, float limit, Lanes value) {
    return {clear_below(x.low, limit, value.low), clear_below(x.high, limit, value.high)};
  }
  static float sum(Lanes a) {
    const float32x4_t quads = vaddq_f32(a.low, a.high);
    const float32x2_t pairs = vadd_f32(vget_low_f32(quads), vget_high_f32(quads));
    return vget_lane_f32(vpadd_f32(pairs, pairs), 0);
  }
  static float largest(Lanes a) { return vmaxvq_f32(vmaxq_f32(a.low, a.high)); }

  struct Mask {
    uint32x4_t low, high;
  };
  static Mask at_most(Lanes a, Lanes b) { return {vcleq_f32(a.low, b.low), vcleq_f32(a.high, b.high)}; }
  static Mask both(Mask a, Mask b) { return {vandq_u32(a.low, b.low), vandq_u32(a.high, b.high)}; }
  static std::uint32_t bits(Mask a) {
    constexpr std::uint32_t kBits[kLanes] = {1, 2, 4, 8, 16, 32, 64, 128};
    return vaddvq_u32(vorrq_u32(vandq_u32(a.low, vld1q_u32(kBits)), vandq_u32(a.high, vld1q_u32(kBits + 4))));
  }
};

}  // namespace
}  // namespace emberline
