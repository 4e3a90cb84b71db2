// Conversions between float32 and the 16-bit float formats: f16 (IEEE 754 binary16) and bf16 (the upper half
// of a float32).
//
// Exact: widening loses nothing, narrowing rounds to nearest, ties to even, with denormals and infinities. A
// NaN stays a NaN, made quiet, with the upper bits of its payload, as the conversion instructions of x86 and
// Arm do.
//
// Safe in a translation unit built for a wider instruction set: every function has internal linkage and uses
// builtins in place of library templates, so no copy of it can be merged with, and run instead of, the
// portable one.
#pragma once

#include <cstdint>

namespace emberline {

static inline constexpr std::uint32_t f32_to_bits(float value) {
  return __builtin_bit_cast(std::uint32_t, value);
}
static inline constexpr float f32_from_bits(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

// Without branches, so that loops over it become vector code.
static inline constexpr float f16_to_f32(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::int32_t magnitude = half & 0x7FFF;
  // A denormal is read as if its significand began with a 1, at the exponent of all denormals, and that 1 is
  // taken off: exact, and no float32 denormal meets the processor.
  const std::uint32_t denormal = magnitude < 0x400 ? 0xFFFFFFFFu : 0u;
  const std::uint32_t rebiased = (static_cast<std::uint32_t>(magnitude) << 13) + 0x38000000u;
  const float value =
      f32_from_bits(rebiased + (denormal & 0x800000u)) - f32_from_bits(denormal & 0x38800000u);  // 2^-14
  const std::uint32_t special = magnitude >= 0x7C00 ? 0x7F800000u : 0u;
  const std::uint32_t quiet = magnitude > 0x7C00 ? 0x400000u : 0u;
  return f32_from_bits(f32_to_bits(value) | sign | special | quiet);
}

static inline constexpr std::uint16_t f32_to_f16(float value) {
  const std::uint32_t bits = f32_to_bits(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  std::uint32_t half = 0;
  if (magnitude > 0x7F800000u) {  // NaN
    half = 0x7E00u | ((magnitude >> 13) & 0x3FFu);
  } else if (magnitude >= 0x477FF000u) {  // 65520 and above round to infinity
    half = 0x7C00u;
  } else if (magnitude >= 0x38800000u) {  // 2^-14 and above: normal
    const std::uint32_t rounded = magnitude + 0xFFFu + ((magnitude >> 13) & 1u);
    half = (rounded - 0x38000000u) >> 13;
  } else if (magnitude > 0x33000000u) {  // above 2^-25: a multiple of 2^-24 after rounding
    const std::uint32_t shift = 126u - (magnitude >> 23);
    const std::uint32_t significand = (magnitude & 0x7FFFFFu) | 0x800000u;
    const std::uint32_t rest = significand & ((1u << shift) - 1u);
    const std::uint32_t tie = 1u << (shift - 1u);
    half = significand >> shift;
    if (rest > tie || (rest == tie && (half & 1u) != 0)) half += 1u;
  }
  return static_cast<std::uint16_t>(sign | half);
}

static inline constexpr float bf16_to_f32(std::uint16_t bf16) {
  const std::uint32_t bits = static_cast<std::uint32_t>(bf16) << 16;
  const bool nan = (bits & 0x7FFFFFFFu) > 0x7F800000u;
  return f32_from_bits(nan ? bits | 0x400000u : bits);
}

static inline constexpr std::uint16_t f32_to_bf16(float value) {
  const std::uint32_t bits = f32_to_bits(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace emberline
