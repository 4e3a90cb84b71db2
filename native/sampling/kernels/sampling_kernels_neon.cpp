// The kernel set for 64-bit Arm, every processor of which has these instructions. sampling_kernels.h has the
// rules.
#include <arm_neon.h>
#include <float.h>

#include "sampling/kernels/sampling_kernels.h"
#include "sampling/mass_polynomial.h"

namespace emberline {
namespace {

// upper_product(f, c) of two lanes.
uint32x2_t upper_product(uint32x2_t f, uint32x2_t c) {
  return vshrn_n_u64(vmull_u32(f, c), 32);
}

// mass_of for two lanes. `order` < 64.
uint64x2_t mass_of(uint32x2_t fraction, int32x2_t order) {
  uint32x2_t sum =
      vsub_u32(vdup_n_u32(kMassPolynomial4), upper_product(fraction, vdup_n_u32(kMassPolynomial5)));
  sum = vsub_u32(vdup_n_u32(kMassPolynomial3), upper_product(fraction, sum));
  sum = vsub_u32(vdup_n_u32(kMassPolynomial2), upper_product(fraction, sum));
  sum = vsub_u32(vdup_n_u32(kMassPolynomial1), upper_product(fraction, sum));
  sum = vsub_u32(vdup_n_u32(kMassPolynomial0), upper_product(fraction, sum));
  const uint32x2_t half = vshr_n_u32(upper_product(fraction, sum), 1);
  const uint32x2_t power = vsub_u32(vdup_n_u32(0x80000000u), half);
  return vshlq_u64(vshll_n_u32(power, kMassBits - 31), vmovl_s32(vneg_s32(order)));
}

// The distance d / T / log 2 as mass_exponent has it, apart: whole binary orders, and a fraction of 32 bits.
// What has no mass counts as 60 orders.
struct Exponents {
  int32x4_t orders;
  uint32x4_t fractions;
  Exponents(float32x4_t logits, float32x4_t largest, float32x4_t scale) {
    const float32x4_t x = vminq_f32(vmulq_f32(vsubq_f32(largest, logits), scale), vdupq_n_f32(60));
    const float32x4_t fraction = vmulq_n_f32(vsubq_f32(x, vrndq_f32(x)), 1 << kMassFractionBits);
    orders = vcvtq_s32_f32(x);
    fractions = vshlq_n_u32(vcvtq_u32_f32(fraction), 32 - kMassFractionBits);
  }
  uint64x2_t low() const { return mass_of(vget_low_u32(fractions), vget_low_s32(orders)); }
  uint64x2_t high() const { return mass_of(vget_high_u32(fractions), vget_high_s32(orders)); }
};

struct Vector {
  static constexpr std::size_t kLanes = 4;
  using Lanes = float32x4_t;

  static Lanes load(const float* p) { return vld1q_f32(p); }
  static Lanes max(Lanes a, Lanes b) { return vmaxq_f32(a, b); }
  static float largest(Lanes a) { return vmaxvq_f32(a); }

  class Finite {
   public:
    void note(Lanes a) { all_ = vandq_u32(all_, vcleq_f32(a, vdupq_n_f32(FLT_MAX))); }
    bool all() const { return vminvq_u32(all_) != 0; }

   private:
    uint32x4_t all_ = vdupq_n_u32(0xFFFFFFFFu);
  };

  class MassSum {
   public:
    MassSum(float largest, float scale) : largest_(vdupq_n_f32(largest)), scale_(vdupq_n_f32(scale)) {}
    void add(Lanes a) {
      const Exponents x(a, largest_, scale_);
      low_ = vaddq_u64(low_, x.low());
      high_ = vaddq_u64(high_, x.high());
    }
    std::uint64_t total() const { return vaddvq_u64(vaddq_u64(low_, high_)); }

   private:
    float32x4_t largest_, scale_;
    uint64x2_t low_ = vdupq_n_u64(0), high_ = vdupq_n_u64(0);
  };

  static std::size_t append(Lanes a, float least, std::uint32_t first, std::uint64_t* out) {
    const uint32x4_t chosen = vcgeq_f32(a, vdupq_n_f32(least));
    if (vmaxvq_u32(chosen) == 0) return 0;
    // ~logit_key: the bits of a negative number, all but the sign inverted of another; -0 + 0 is 0.
    const int32x4_t bits = vreinterpretq_s32_f32(vaddq_f32(a, vdupq_n_f32(0)));
    const int32x4_t positive = vbicq_s32(vdupq_n_s32(0x7FFFFFFF), vshrq_n_s32(bits, 31));
    std::uint32_t words[kLanes], lanes[kLanes];
    vst1q_u32(words, vreinterpretq_u32_s32(veorq_s32(bits, positive)));
    vst1q_u32(lanes, vshrq_n_u32(chosen, 31));
    std::size_t count = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      out[count] = (static_cast<std::uint64_t>(words[lane]) << 32) | (first + lane);
      count += lanes[lane];
    }
    return count;
  }
};

}  // namespace
}  // namespace emberline

#include "sampling/kernels/logit_loops.h"

namespace emberline {
namespace {

std::uint64_t masses(const std::uint64_t* rank_keys, std::size_t n, float largest, float scale,
                     std::uint64_t* masses) {
  constexpr std::size_t kKeys = 4;
  uint64x2_t sum = vdupq_n_u64(0);
  for (std::size_t i = 0; i < n; i += kKeys) {
    const std::size_t left = n - i < kKeys ? n - i : kKeys;
    std::uint64_t keys[kKeys] = {};
    for (std::size_t j = 0; j < left; ++j) keys[j] = rank_keys[i + j];
    const uint32x4_t words =
        vcombine_u32(vshrn_n_u64(vld1q_u64(keys), 32), vshrn_n_u64(vld1q_u64(keys + 2), 32));
    const int32x4_t bits = vreinterpretq_s32_u32(words);
    const int32x4_t positive = vbicq_s32(vdupq_n_s32(0x7FFFFFFF), vshrq_n_s32(bits, 31));
    const float32x4_t logits = vreinterpretq_f32_s32(veorq_s32(bits, positive));
    const Exponents x(logits, vdupq_n_f32(largest), vdupq_n_f32(scale));
    std::uint64_t own[kKeys];
    vst1q_u64(own, x.low());
    vst1q_u64(own + 2, x.high());
    for (std::size_t j = left; j < kKeys; ++j) own[j] = 0;
    sum = vaddq_u64(sum, vaddq_u64(vld1q_u64(own), vld1q_u64(own + 2)));
    for (std::size_t j = 0; j < left; ++j) masses[i + j] = own[j];
  }
  return vaddvq_u64(sum);
}

}  // namespace

const SamplingKernels& neon_sampling_kernels() {
  static constexpr SamplingKernels kernels = {"neon", scan, total_mass, collect, masses};
  return kernels;
}

}  // namespace emberline
