// Floating-point functions (specification, sections 6.2, 6.4 and 6.5), for float, half and vectors of them.
// half is computed in float and rounded.
#pragma once

extern "C" {
float acosf(float);
float asinf(float);
float atanf(float);
float atan2f(float, float);
float acoshf(float);
float asinhf(float);
float atanhf(float);
float cosf(float);
float coshf(float);
float expf(float);
float exp2f(float);
float fmodf(float, float);
float logf(float);
float log2f(float);
float log10f(float);
float powf(float, float);
float sinf(float);
float sinhf(float);
float tanf(float);
float tanhf(float);
}

namespace metal {

#define METAL_SIM_VECTOR_1(name, V)                                         \
  inline V name(V x) {                                                      \
    V r;                                                                    \
    for (int i = 0; i < metal_sim::parts<V>::count; ++i) r[i] = name(x[i]); \
    return r;                                                               \
  }
#define METAL_SIM_VECTOR_2(name, V)                                               \
  inline V name(V x, V y) {                                                       \
    V r;                                                                          \
    for (int i = 0; i < metal_sim::parts<V>::count; ++i) r[i] = name(x[i], y[i]); \
    return r;                                                                     \
  }
#define METAL_SIM_VECTOR_3(name, V)                                                     \
  inline V name(V x, V y, V z) {                                                        \
    V r;                                                                                \
    for (int i = 0; i < metal_sim::parts<V>::count; ++i) r[i] = name(x[i], y[i], z[i]); \
    return r;                                                                           \
  }
#define METAL_SIM_VECTORS(METAL_SIM_VECTOR, name) \
  METAL_SIM_VECTOR(name, float2)                  \
  METAL_SIM_VECTOR(name, float3)                  \
  METAL_SIM_VECTOR(name, float4)                  \
  METAL_SIM_VECTOR(name, half2) METAL_SIM_VECTOR(name, half3) METAL_SIM_VECTOR(name, half4)
#define METAL_SIM_FUNCTION_1(name, expression) \
  inline float name(float x) {                 \
    return expression;                         \
  }                                            \
  inline half name(half h) {                   \
    return (half)name((float)h);               \
  }                                            \
  METAL_SIM_VECTORS(METAL_SIM_VECTOR_1, name)
#define METAL_SIM_FUNCTION_2(name, expression) \
  inline float name(float x, float y) {        \
    return expression;                         \
  }                                            \
  inline half name(half g, half h) {           \
    return (half)name((float)g, (float)h);     \
  }                                            \
  METAL_SIM_VECTORS(METAL_SIM_VECTOR_2, name)
#define METAL_SIM_FUNCTION_3(name, expression)       \
  inline float name(float x, float y, float z) {     \
    return expression;                               \
  }                                                  \
  inline half name(half g, half h, half k) {         \
    return (half)name((float)g, (float)h, (float)k); \
  }                                                  \
  METAL_SIM_VECTORS(METAL_SIM_VECTOR_3, name)

METAL_SIM_FUNCTION_1(acos, acosf(x))
METAL_SIM_FUNCTION_1(acosh, acoshf(x))
METAL_SIM_FUNCTION_1(asin, asinf(x))
METAL_SIM_FUNCTION_1(asinh, asinhf(x))
METAL_SIM_FUNCTION_1(atan, atanf(x))
METAL_SIM_FUNCTION_1(atanh, atanhf(x))
METAL_SIM_FUNCTION_1(ceil, __builtin_ceilf(x))
METAL_SIM_FUNCTION_1(cos, cosf(x))
METAL_SIM_FUNCTION_1(cosh, coshf(x))
METAL_SIM_FUNCTION_1(exp, expf(x))
METAL_SIM_FUNCTION_1(exp2, exp2f(x))
METAL_SIM_FUNCTION_1(exp10, powf(10.0f, x))
METAL_SIM_FUNCTION_1(fabs, __builtin_fabsf(x))
METAL_SIM_FUNCTION_1(abs, __builtin_fabsf(x))
METAL_SIM_FUNCTION_1(floor, __builtin_floorf(x))
METAL_SIM_FUNCTION_1(fract, __builtin_fminf(x - __builtin_floorf(x), 0x1.fffffep-1f))
METAL_SIM_FUNCTION_1(log, logf(x))
METAL_SIM_FUNCTION_1(log2, log2f(x))
METAL_SIM_FUNCTION_1(log10, log10f(x))
METAL_SIM_FUNCTION_1(rint, __builtin_rintf(x))
METAL_SIM_FUNCTION_1(round, __builtin_roundf(x))
METAL_SIM_FUNCTION_1(rsqrt, 1.0f / __builtin_sqrtf(x))
METAL_SIM_FUNCTION_1(saturate, __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f))
METAL_SIM_FUNCTION_1(sign, x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : 0.0f)
METAL_SIM_FUNCTION_1(sin, sinf(x))
METAL_SIM_FUNCTION_1(sinh, sinhf(x))
METAL_SIM_FUNCTION_1(sqrt, __builtin_sqrtf(x))
METAL_SIM_FUNCTION_1(tan, tanf(x))
METAL_SIM_FUNCTION_1(tanh, tanhf(x))
METAL_SIM_FUNCTION_1(trunc, __builtin_truncf(x))

METAL_SIM_FUNCTION_2(atan2, atan2f(x, y))
METAL_SIM_FUNCTION_2(copysign, __builtin_copysignf(x, y))
METAL_SIM_FUNCTION_2(divide, x / y)
METAL_SIM_FUNCTION_2(fdim, x > y ? x - y : 0.0f)
METAL_SIM_FUNCTION_2(fmax, __builtin_fmaxf(x, y))
METAL_SIM_FUNCTION_2(max, __builtin_fmaxf(x, y))
METAL_SIM_FUNCTION_2(fmin, __builtin_fminf(x, y))
METAL_SIM_FUNCTION_2(min, __builtin_fminf(x, y))
METAL_SIM_FUNCTION_2(fmod, fmodf(x, y))
METAL_SIM_FUNCTION_2(pow, powf(x, y))
METAL_SIM_FUNCTION_2(powr, powf(x, y))
METAL_SIM_FUNCTION_2(step, y < x ? 0.0f : 1.0f)

METAL_SIM_FUNCTION_3(clamp, __builtin_fminf(__builtin_fmaxf(x, y), z))
METAL_SIM_FUNCTION_3(fma, __builtin_fmaf(x, y, z))
METAL_SIM_FUNCTION_3(fmax3, __builtin_fmaxf(__builtin_fmaxf(x, y), z))
METAL_SIM_FUNCTION_3(max3, __builtin_fmaxf(__builtin_fmaxf(x, y), z))
METAL_SIM_FUNCTION_3(fmin3, __builtin_fminf(__builtin_fminf(x, y), z))
METAL_SIM_FUNCTION_3(min3, __builtin_fminf(__builtin_fminf(x, y), z))
METAL_SIM_FUNCTION_3(mix, x + (y - x) * z)

inline float ldexp(float x, int k) {
  return __builtin_ldexpf(x, k);
}
inline half ldexp(half x, int k) {
  return (half)__builtin_ldexpf((float)x, k);
}
inline int ilogb(float x) {
  return __builtin_ilogbf(x);
}
inline float frexp(float x, thread int& exponent) {
  return __builtin_frexpf(x, (thread int*)&exponent);
}
inline float sincos(float x, thread float& cosine) {
  cosine = cosf(x);
  return sinf(x);
}

// In a program compiled with fast math off, the plain functions are the precise ones.
namespace precise {
using namespace metal;
}
namespace fast {
using namespace metal;
}

#undef METAL_SIM_FUNCTION_1
#undef METAL_SIM_FUNCTION_2
#undef METAL_SIM_FUNCTION_3
#undef METAL_SIM_VECTOR_1
#undef METAL_SIM_VECTOR_2
#undef METAL_SIM_VECTOR_3
#undef METAL_SIM_VECTORS

inline bool isfinite(float x) {
  return __builtin_isfinite(x);
}
inline bool isinf(float x) {
  return __builtin_isinf(x);
}
inline bool isnan(float x) {
  return __builtin_isnan(x);
}
inline bool isnormal(float x) {
  return __builtin_isnormal(x);
}
inline bool signbit(float x) {
  return __builtin_signbit(x);
}
inline bool isfinite(half x) {
  return __builtin_isfinite((float)x);
}
inline bool isinf(half x) {
  return __builtin_isinf((float)x);
}
inline bool isnan(half x) {
  return __builtin_isnan((float)x);
}

}  // namespace metal
