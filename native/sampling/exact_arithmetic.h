// The few operations from which the sampling law's numbers are made on every device, so that they are the
// same bits on a CPU and a GPU: integers of 32 and 64 bits, and those float32 operations that IEEE 754 and
// the Metal Shading Language (fast math off) round correctly. Shared by hosts and Metal kernels.
//
// Two differences between devices are kept out. A GPU may take denormal numbers for zero: what could be one
// is made zero first. A compiler may fuse a * b + c where it likes: every such sum is written as a fused one.
#pragma once

#if defined(__METAL_VERSION__)
#include <metal_stdlib>
#define EMBERLINE_THREAD thread
using namespace metal;

inline uint32_t float_bits(float value) {
  return as_type<uint32_t>(value);
}
inline float bits_float(uint32_t bits) {
  return as_type<float>(bits);
}
inline float fused(float a, float b, float c) {
  return fma(a, b, c);
}

#else
#include <bit>
#include <cmath>
#include <cstdint>
#define EMBERLINE_THREAD
namespace emberline {
using std::int32_t, std::uint32_t, std::uint64_t;

inline uint32_t float_bits(float value) {
  return std::bit_cast<uint32_t>(value);
}
inline float bits_float(uint32_t bits) {
  return std::bit_cast<float>(bits);
}
inline float fused(float a, float b, float c) {
  return std::fma(a, b, c);
}
#endif

// The upper half of a product.
inline uint32_t upper_product(uint32_t a, uint32_t b) {
  return uint32_t((uint64_t(a) * b) >> 32);
}

// Zero where `value` is denormal.
inline float without_denormals(float value) {
  return (float_bits(value) & 0x7F800000u) == 0 ? 0.0f : value;
}

#if !defined(__METAL_VERSION__)
}  // namespace emberline
#endif
