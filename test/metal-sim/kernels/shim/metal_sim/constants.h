// Limits and mathematical constants (specification, section 6.6 and <metal_limits>).
#pragma once

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_inff()
#define MAXFLOAT 3.40282346638528859812e+38f
#define FLT_MAX MAXFLOAT
#define FLT_MIN 1.17549435082228750797e-38f
#define FLT_EPSILON 1.19209289550781250000e-07f
#define MAXHALF 65504.0h
#define HALF_MAX MAXHALF
#define CHAR_BIT 8
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define M_E_F 2.71828182845904523536f
#define M_LOG2E_F 1.44269504088896340736f
#define M_LOG10E_F 0.43429448190325182765f
#define M_LN2_F 0.69314718055994530942f
#define M_LN10_F 2.30258509299404568402f
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_PI_4_F 0.78539816339744830962f
#define M_1_PI_F 0.31830988618379067154f
#define M_2_PI_F 0.63661977236758134308f
#define M_SQRT2_F 1.41421356237309504880f
#define M_SQRT1_2_F 0.70710678118654752440f

namespace metal {

template <typename T>
struct numeric_limits {};
#define METAL_SIM_INTEGER_LIMITS(T, lowest_, max_) \
  template <>                                      \
  struct numeric_limits<T> {                       \
    static constexpr T min() {                     \
      return lowest_;                              \
    }                                              \
    static constexpr T lowest() {                  \
      return lowest_;                              \
    }                                              \
    static constexpr T max() {                     \
      return max_;                                 \
    }                                              \
  };
METAL_SIM_INTEGER_LIMITS(char, -128, 127)
METAL_SIM_INTEGER_LIMITS(uchar, 0, 255)
METAL_SIM_INTEGER_LIMITS(short, -32768, SHRT_MAX)
METAL_SIM_INTEGER_LIMITS(ushort, 0, USHRT_MAX)
METAL_SIM_INTEGER_LIMITS(int, INT_MIN, INT_MAX)
METAL_SIM_INTEGER_LIMITS(uint, 0, UINT_MAX)
#undef METAL_SIM_INTEGER_LIMITS
template <>
struct numeric_limits<float> {
  static constexpr float min() { return FLT_MIN; }
  static constexpr float lowest() { return -FLT_MAX; }
  static constexpr float max() { return FLT_MAX; }
  static constexpr float epsilon() { return FLT_EPSILON; }
  static constexpr float infinity() { return INFINITY; }
  static constexpr float quiet_NaN() { return NAN; }
};
template <>
struct numeric_limits<half> {
  static constexpr half lowest() { return -MAXHALF; }
  static constexpr half max() { return MAXHALF; }
  static constexpr half infinity() { return (half)INFINITY; }
};

}  // namespace metal
