// Gumbel noise for the tokens of a vocabulary: a pure function of (seed, position, token), the same bits on
// every CPU and GPU. Shared by hosts and Metal kernels.
//
// The largest of z[token] / T + g[token] is a draw from softmax(z / T) when the g are independent and of the
// standard Gumbel distribution (Maddison, Tarlow and Minka, "A* sampling", NeurIPS 2014). Here g = -log E
// with E = -log(1 - w) exponential and w uniform, both logarithms accurate to 2^-22 of their value or 2^-22,
// whichever is more:
//
//   block = Philox4x32-10(counter = (position, 0, kGumbelStream, token / 4), key = seed)
//   k     = word token % 4 of block
//   w     = (k + 0.5) * 2^-32, at most 1 - 2^-24
//
// w is small where g is large, and all 32 bits of k are used, so g reaches 22.9: with 24 bits the largest of
// a large vocabulary would be cut off. `position` is that of the token which is drawn. Four tokens share a
// block, so a kernel whose threads take four tokens at a time computes a quarter of a block a token.
#pragma once

#include "exact_arithmetic.h"
#include "philox.h"

#if defined(__METAL_VERSION__)
#define EMBERLINE_STREAM constant constexpr
#else
#define EMBERLINE_STREAM inline constexpr
namespace emberline {
#endif

// The counter's third word: RandomStream::kGumbel (random.h).
EMBERLINE_STREAM uint32_t kGumbelStream = 1;

// log(1 + f), f in [-0.293, 0.415]: f - f^2/2 + f^3 q(f). q interpolates at the Chebyshev nodes, 1.8e-8 off
// at most.
inline float log_one_plus(float f) {
  float q = fused(-0.0790274377f, f, 0.126223198f);
  q = fused(q, f, -0.129981838f);
  q = fused(q, f, 0.142144959f);
  q = fused(q, f, -0.166412815f);
  q = fused(q, f, 0.200010451f);
  q = fused(q, f, -0.250003064f);
  q = fused(q, f, 0.333333307f);
  const float square = f * f;
  return fused(square, fused(q, f, -0.5f), f);
}

// The natural logarithm of a positive normal number.
inline float natural_log(float x) {
  // x = 2^exponent * m with m in [sqrt(1/2), sqrt(2)), whose lower end has these bits.
  const uint32_t offset = float_bits(x) - 0x3F3504F3u;
  const int32_t exponent = int32_t(offset) >> 23;
  const float m = bits_float((offset & 0x007FFFFFu) + 0x3F3504F3u);
  const float e = float(exponent);
  // log 2 in two parts: e times the upper one is exact.
  return fused(e, 0.693359375f, fused(e, -2.12194440e-4f, log_one_plus(m - 1.0f)));
}

// The noise of a random word, in [-2.82, 22.88].
inline float gumbel_of_word(uint32_t word) {
  const float uniform = (float(word) + 0.5f) * 2.3283064365386963e-10f;
  const float w = uniform < 0.99999994f ? uniform : 0.99999994f;
  const float exponential = w < 0.25f ? -log_one_plus(-w) : -natural_log(1.0f - w);
  return -natural_log(exponential);
}

// The noise of tokens 4 * quad .. 4 * quad + 3.
inline void gumbel_noise_of_quad(uint32_t seed_low, uint32_t seed_high, uint32_t position, uint32_t quad,
                                 EMBERLINE_THREAD float& g0, EMBERLINE_THREAD float& g1,
                                 EMBERLINE_THREAD float& g2, EMBERLINE_THREAD float& g3) {
  uint32_t c0 = position, c1 = 0, c2 = kGumbelStream, c3 = quad;
  philox4x32_10(c0, c1, c2, c3, seed_low, seed_high);
  g0 = gumbel_of_word(c0);
  g1 = gumbel_of_word(c1);
  g2 = gumbel_of_word(c2);
  g3 = gumbel_of_word(c3);
}

#if !defined(__METAL_VERSION__)
// One token's.
inline float gumbel_noise(uint64_t seed, uint32_t position, uint32_t token) {
  float g[4];
  gumbel_noise_of_quad(uint32_t(seed), uint32_t(seed >> 32), position, token / 4, g[0], g[1], g[2], g[3]);
  return g[token % 4];
}
}  // namespace emberline
#endif
