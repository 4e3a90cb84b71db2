// Geometric functions (specification, section 6.9).
#pragma once

namespace metal {

#define METAL_SIM_GEOMETRIC(T)                            \
  inline T dot(T##2 a, T##2 b) {                          \
    return a.x * b.x + a.y * b.y;                         \
  }                                                       \
  inline T dot(T##3 a, T##3 b) {                          \
    return a.x * b.x + a.y * b.y + a.z * b.z;             \
  }                                                       \
  inline T dot(T##4 a, T##4 b) {                          \
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; \
  }                                                       \
  inline T length_squared(T##2 a) {                       \
    return dot(a, a);                                     \
  }                                                       \
  inline T length_squared(T##3 a) {                       \
    return dot(a, a);                                     \
  }                                                       \
  inline T length_squared(T##4 a) {                       \
    return dot(a, a);                                     \
  }                                                       \
  inline T length(T##2 a) {                               \
    return sqrt(dot(a, a));                               \
  }                                                       \
  inline T length(T##3 a) {                               \
    return sqrt(dot(a, a));                               \
  }                                                       \
  inline T length(T##4 a) {                               \
    return sqrt(dot(a, a));                               \
  }
METAL_SIM_GEOMETRIC(float)
METAL_SIM_GEOMETRIC(half)
#undef METAL_SIM_GEOMETRIC

}  // namespace metal
