#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace emberline {
namespace {

static_assert(f16_to_f32(0x3C00) == 1.0f);
static_assert(f32_to_f16(-2.0f) == 0xC000);
static_assert(f32_to_bf16(1.0f) == 0x3F80);
static_assert(bf16_to_f32(0x4049) == 3.140625f);

bool is_f16_nan(std::uint32_t half) {
  return (half & 0x7C00u) == 0x7C00u && (half & 0x3FFu) != 0;
}
bool is_bf16_nan(std::uint32_t half) {
  return (half & 0x7F80u) == 0x7F80u && (half & 0x7Fu) != 0;
}

// The value by the definition of the format: (-1)^s * m * 2^e.
double value_by_definition(std::uint32_t bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const std::uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
  const int exponent = static_cast<int>(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const double sign = (bits >> 15) != 0 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) return sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1u << mantissa_bits), exponent - bias - mantissa_bits);
}

TEST(Half, WidensEveryF16ToItsValue) {
  for (std::uint32_t half = 0; half <= 0xFFFF; ++half) {
    const float value = f16_to_f32(static_cast<std::uint16_t>(half));
    if (is_f16_nan(half)) {
      ASSERT_TRUE(std::isnan(value)) << half;
    } else {
      ASSERT_EQ(value, value_by_definition(half, 5, 10)) << half;
      ASSERT_EQ(std::signbit(value), half >= 0x8000) << half;
    }
  }
}

TEST(Half, WidensEveryBf16ToItsValue) {
  for (std::uint32_t half = 0; half <= 0xFFFF; ++half) {
    const float value = bf16_to_f32(static_cast<std::uint16_t>(half));
    if (is_bf16_nan(half)) {
      ASSERT_TRUE(std::isnan(value)) << half;
    } else {
      ASSERT_EQ(value, value_by_definition(half, 8, 7)) << half;
    }
  }
}

TEST(Half, NarrowsEveryF16AndBf16BackToItself) {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const std::uint16_t f16 = f32_to_f16(f16_to_f32(half));
    const std::uint16_t bf16 = f32_to_bf16(bf16_to_f32(half));
    // A signalling NaN comes back quiet.
    ASSERT_EQ(f16, is_f16_nan(bits) ? half | 0x200 : half) << bits;
    ASSERT_EQ(bf16, is_bf16_nan(bits) ? half | 0x40 : half) << bits;
  }
}

// The nearest of two neighbours, ties to the one with an even last bit, found by comparing distances in
// double.
template <typename Widen>
std::uint16_t nearest_by_search(float value, std::uint16_t infinity, Widen widen) {
  const double magnitude = std::fabs(static_cast<double>(value));
  std::uint32_t low = 0;
  std::uint32_t high =
      infinity;  // as a bound: what lies beyond the largest finite value, one step of it away
  const double largest = widen(static_cast<std::uint16_t>(infinity - 1));
  const double step = largest - static_cast<double>(widen(static_cast<std::uint16_t>(infinity - 2)));
  const auto at = [&](std::uint32_t bits) {
    return bits == infinity ? largest + step : static_cast<double>(widen(static_cast<std::uint16_t>(bits)));
  };
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    (at(middle) <= magnitude ? low : high) = middle;
  }
  const double below = magnitude - at(low);
  const double above = at(high) - magnitude;
  const std::uint32_t nearest = below < above || (below == above && low % 2 == 0) ? low : high;
  return static_cast<std::uint16_t>(nearest | (std::signbit(value) ? 0x8000u : 0u));
}

// Values at, and one float32 step beside, every boundary between two halves, and seeded bit patterns.
template <typename Narrow, typename Widen>
void compare_with_search(std::uint16_t infinity, Narrow narrow, Widen widen) {
  const auto check = [&](float value) {
    if (std::isnan(value)) return;
    ASSERT_EQ(narrow(value), nearest_by_search(value, infinity, widen)) << std::hexfloat << value;
  };
  for (std::uint32_t bits = 0; bits + 1 < infinity; bits += 7) {
    const float here = widen(static_cast<std::uint16_t>(bits));
    const float next = widen(static_cast<std::uint16_t>(bits + 1));
    const auto middle = static_cast<float>((static_cast<double>(here) + static_cast<double>(next)) / 2);
    for (const float sign : {1.0f, -1.0f}) {
      check(sign * middle);
      check(sign * std::nextafter(middle, 0.0f));
      check(sign * std::nextafter(middle, std::numeric_limits<float>::infinity()));
    }
  }
  std::mt19937 random(20240611);
  for (int i = 0; i < 200000; ++i) check(f32_from_bits(static_cast<std::uint32_t>(random())));
}

TEST(Half, NarrowsToTheNearestF16TiesToEven) {
  compare_with_search(
      0x7C00, [](float v) { return f32_to_f16(v); }, [](std::uint16_t h) { return f16_to_f32(h); });
}

TEST(Half, NarrowsToTheNearestBf16TiesToEven) {
  compare_with_search(
      0x7F80, [](float v) { return f32_to_bf16(v); }, [](std::uint16_t h) { return bf16_to_f32(h); });
}

TEST(Half, NarrowsTheExtremes) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(f32_to_f16(65504.0f), 0x7BFF);
  EXPECT_EQ(f32_to_f16(65519.99f), 0x7BFF);
  EXPECT_EQ(f32_to_f16(65520.0f), 0x7C00);
  EXPECT_EQ(f32_to_f16(-kInfinity), 0xFC00);
  EXPECT_EQ(f32_to_f16(0x1p-24f), 0x0001);
  EXPECT_EQ(f32_to_f16(0x1p-25f), 0x0000);
  EXPECT_EQ(f32_to_f16(-0.0f), 0x8000);
  EXPECT_TRUE(is_f16_nan(f32_to_f16(f32_from_bits(0x7F800001))));
  EXPECT_EQ(f32_to_bf16(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_EQ(f32_to_bf16(-kInfinity), 0xFF80);
  EXPECT_TRUE(is_bf16_nan(f32_to_bf16(f32_from_bits(0x7F800001))));
  EXPECT_TRUE(is_bf16_nan(f32_to_bf16(f32_from_bits(0xFFFFFFFF))));
}

}  // namespace
}  // namespace emberline
