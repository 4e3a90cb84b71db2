// The arithmetic of the sampling law's filters: integers, so that which tokens survive does not depend on the
// device, on the order of a sum or on a math library. Shared by hosts and Metal kernels.
//
// Tokens are ordered by (logit_key descending, id ascending). A token whose logit lies d below the largest
// has the mass
//
//   2^43 * exp(-d / T), as an integer: mass_of(x), where x = mass_exponent(d, mass_scale(T))
//                                                         = d / T / log 2 in units of 2^-26
//
// Its relative error is below 2^-26 + 2^-22 d / T, or it is one unit off: the rounding of x counts for more
// than that of the exponential. It does not rise with d. A token 44 or more binary orders of magnitude below
// the largest has none; the masses of 2^20 tokens add up to 2^63 at most.
#pragma once

#include "exact_arithmetic.h"
#include "mass_polynomial.h"

#if !defined(__METAL_VERSION__)
namespace emberline {
#endif

EMBERLINE_MASS uint32_t kMaskedKey = 0x007FFFFFu;  // logit_key of -inf; below it: NaN with the sign bit
EMBERLINE_MASS uint32_t kLargestFiniteKey = 0xFF7FFFFFu;  // above it: +inf and NaN

// An integer that rises with the logit; 0 and -0 are one value.
inline uint32_t logit_key(float logit) {
  const uint32_t bits = float_bits(logit) == 0x80000000u ? 0u : float_bits(logit);
  return bits ^
         (uint32_t(int32_t(bits) >> 31) | 0x80000000u);  // without a branch: half of all logits are negative
}
// The logit of a key.
inline float key_logit(uint32_t key) {
  return bits_float((key & 0x80000000u) != 0 ? key & 0x7FFFFFFFu : ~key);
}

// The repetition penalty: z / penalty where z > 0, else z * penalty; what leaves the range of finite numbers
// is clamped to it, what is denormal before or after is zero. A masked logit stays masked, one that is not
// finite stays so.
inline float penalised_logit(float logit, float penalty) {
  if ((float_bits(logit) & 0x7F800000u) == 0x7F800000u) return logit;
  const float least_normal = 1.175494351e-38f, largest = 3.402823466e38f;
  const float z = without_denormals(logit), by = penalty > least_normal ? penalty : least_normal;
  const float scaled = without_denormals(z > 0.0f ? z / by : z * by);
  return scaled > largest ? largest : scaled < -largest ? -largest : scaled;
}

// Temperatures beyond 2^-100 and 2^100 count as these: what follows from others might be denormal.
inline float effective_temperature(float temperature) {
  const float least = 7.888609052210118e-31f, most = 1.2676506002282294e30f;
  return temperature < least ? least : temperature > most ? most : temperature;
}

// 1 / (T log 2).
inline float mass_scale(float temperature) {
  return 1.44269504f / effective_temperature(temperature);
}

// d / (T log 2) in units of 2^-26, rounded down; all ones from 64 on. d >= 0, also infinite.
inline uint32_t mass_exponent(float d, float scale) {
  const float x = d * scale;
  return x < 64.0f ? uint32_t(x * 67108864.0f) : 0xFFFFFFFFu;
}

// 2^(43 - x / 2^26), rounded down: the bits of 2^-f for the fraction f, from an alternating polynomial of
// degree 6 that interpolates (1 - 2^-f) / f at the Chebyshev nodes, shifted right by the whole part.
inline uint64_t mass_of(uint32_t x) {
  const uint32_t f = x << (32 - kMassFractionBits);  // in units of 2^-32, as the coefficients
  uint32_t sum = kMassPolynomial4 - upper_product(f, kMassPolynomial5);
  sum = kMassPolynomial3 - upper_product(f, sum);
  sum = kMassPolynomial2 - upper_product(f, sum);
  sum = kMassPolynomial1 - upper_product(f, sum);
  sum = kMassPolynomial0 - upper_product(f, sum);
  const uint32_t power = 0x80000000u - (upper_product(f, sum) >> 1);  // 2^-f in units of 2^-31
  return (uint64_t(power) << (kMassBits - 31)) >> (x >> kMassFractionBits);
}

// The least mass that a prefix must have to reach top_p < 1 of `total`; at least 1, so that one token is
// kept. top_p counts in units of 2^-32, rounded down.
inline uint64_t top_p_mass(uint64_t total, float top_p) {
  const uint32_t share = top_p > 0.0f ? uint32_t(top_p * 4294967296.0f) : 0u;
  const uint64_t low = (total & 0xFFFFFFFFu) * share;
  const uint64_t mass = (total >> 32) * share + (low >> 32) + ((low & 0xFFFFFFFFu) != 0 ? 1u : 0u);
  return mass > 0 ? mass : 1;
}

// The least mass a token must have not to be dropped by min_p in (0, 1], rounded down.
inline uint64_t min_p_mass(float min_p) {
  return uint64_t(min_p * 8796093022208.0f);
}

#if !defined(__METAL_VERSION__)
}  // namespace emberline
#endif
