// Vector constructors. The translator rewrites `float4(` to `metal_sim_float4(`: C++ for OpenCL has no
// constructor syntax for vectors.
#pragma once

#define METAL_SIM_CONSTRUCTORS(T)                    \
  inline T##2 metal_sim_##T##2(T a) {                \
    return (T##2)(a);                                \
  }                                                  \
  inline T##2 metal_sim_##T##2(T x, T y) {           \
    T##2 v;                                          \
    v.x = x;                                         \
    v.y = y;                                         \
    return v;                                        \
  }                                                  \
  inline T##3 metal_sim_##T##3(T a) {                \
    return (T##3)(a);                                \
  }                                                  \
  inline T##3 metal_sim_##T##3(T x, T y, T z) {      \
    T##3 v;                                          \
    v.x = x;                                         \
    v.y = y;                                         \
    v.z = z;                                         \
    return v;                                        \
  }                                                  \
  inline T##3 metal_sim_##T##3(T##2 xy, T z) {       \
    return metal_sim_##T##3(xy.x, xy.y, z);          \
  }                                                  \
  inline T##3 metal_sim_##T##3(T x, T##2 yz) {       \
    return metal_sim_##T##3(x, yz.x, yz.y);          \
  }                                                  \
  inline T##4 metal_sim_##T##4(T a) {                \
    return (T##4)(a);                                \
  }                                                  \
  inline T##4 metal_sim_##T##4(T x, T y, T z, T w) { \
    T##4 v;                                          \
    v.x = x;                                         \
    v.y = y;                                         \
    v.z = z;                                         \
    v.w = w;                                         \
    return v;                                        \
  }                                                  \
  inline T##4 metal_sim_##T##4(T##2 xy, T##2 zw) {   \
    T##4 v;                                          \
    v.xy = xy;                                       \
    v.zw = zw;                                       \
    return v;                                        \
  }                                                  \
  inline T##4 metal_sim_##T##4(T##2 xy, T z, T w) {  \
    return metal_sim_##T##4(xy.x, xy.y, z, w);       \
  }                                                  \
  inline T##4 metal_sim_##T##4(T x, T##2 yz, T w) {  \
    return metal_sim_##T##4(x, yz.x, yz.y, w);       \
  }                                                  \
  inline T##4 metal_sim_##T##4(T x, T y, T##2 zw) {  \
    return metal_sim_##T##4(x, y, zw.x, zw.y);       \
  }                                                  \
  inline T##4 metal_sim_##T##4(T##3 xyz, T w) {      \
    return metal_sim_##T##4(xyz.x, xyz.y, xyz.z, w); \
  }                                                  \
  inline T##4 metal_sim_##T##4(T x, T##3 yzw) {      \
    return metal_sim_##T##4(x, yzw.x, yzw.y, yzw.z); \
  }                                                  \
  METAL_SIM_CONVERSION(T, 2) METAL_SIM_CONVERSION(T, 3) METAL_SIM_CONVERSION(T, 4)
// From a scalar or a vector of another type.
#define METAL_SIM_CONVERSION(T, N)                                                  \
  template <typename V>                                                             \
  inline T##N metal_sim_##T##N(V v) {                                               \
    if constexpr (metal_sim::parts<V>::count == 1) {                                \
      return (T##N)((T)v);                                                          \
    } else {                                                                        \
      static_assert(metal_sim::parts<V>::count == N, "a vector of another length"); \
      return __builtin_convertvector(v, T##N);                                      \
    }                                                                               \
  }
METAL_SIM_CONSTRUCTORS(char)
METAL_SIM_CONSTRUCTORS(uchar)
METAL_SIM_CONSTRUCTORS(short)
METAL_SIM_CONSTRUCTORS(ushort)
METAL_SIM_CONSTRUCTORS(int)
METAL_SIM_CONSTRUCTORS(uint)
METAL_SIM_CONSTRUCTORS(long)
METAL_SIM_CONSTRUCTORS(ulong)
METAL_SIM_CONSTRUCTORS(half)
METAL_SIM_CONSTRUCTORS(float)
#undef METAL_SIM_CONSTRUCTORS
#undef METAL_SIM_CONVERSION
