// Integer and relational functions (specification, sections 6.3 and 6.4).
#pragma once

namespace metal {

#define METAL_SIM_INTEGER(T)           \
  inline T min(T x, T y) {             \
    return y < x ? y : x;              \
  }                                    \
  inline T max(T x, T y) {             \
    return x < y ? y : x;              \
  }                                    \
  inline T clamp(T x, T low, T high) { \
    return min(max(x, low), high);     \
  }                                    \
  inline T min3(T x, T y, T z) {       \
    return min(min(x, y), z);          \
  }                                    \
  inline T max3(T x, T y, T z) {       \
    return max(max(x, y), z);          \
  }                                    \
  inline T abs(T x) {                  \
    return x < (T)0 ? (T) - x : x;     \
  }                                    \
  METAL_SIM_INTEGER_VECTOR(T, 2) METAL_SIM_INTEGER_VECTOR(T, 3) METAL_SIM_INTEGER_VECTOR(T, 4)
#define METAL_SIM_INTEGER_VECTOR(T, N)                        \
  inline T##N min(T##N x, T##N y) {                           \
    T##N r;                                                   \
    for (int i = 0; i < N; ++i) r[i] = min((T)x[i], (T)y[i]); \
    return r;                                                 \
  }                                                           \
  inline T##N max(T##N x, T##N y) {                           \
    T##N r;                                                   \
    for (int i = 0; i < N; ++i) r[i] = max((T)x[i], (T)y[i]); \
    return r;                                                 \
  }                                                           \
  inline T##N clamp(T##N x, T##N low, T##N high) {            \
    return min(max(x, low), high);                            \
  }
METAL_SIM_INTEGER(char)
METAL_SIM_INTEGER(uchar)
METAL_SIM_INTEGER(short)
METAL_SIM_INTEGER(ushort)
METAL_SIM_INTEGER(int)
METAL_SIM_INTEGER(uint)
METAL_SIM_INTEGER(long)
METAL_SIM_INTEGER(ulong)
#undef METAL_SIM_INTEGER
#undef METAL_SIM_INTEGER_VECTOR

inline uint popcount(uint x) {
  return __builtin_popcount(x);
}
inline int popcount(int x) {
  return __builtin_popcount((uint)x);
}
inline ushort popcount(ushort x) {
  return __builtin_popcount(x);
}
inline uchar popcount(uchar x) {
  return __builtin_popcount(x);
}
inline ulong popcount(ulong x) {
  return __builtin_popcountl(x);
}
inline uint clz(uint x) {
  return x != 0 ? __builtin_clz(x) : 32;
}
inline int clz(int x) {
  return (int)clz((uint)x);
}
inline ushort clz(ushort x) {
  return clz((uint)x) - 16;
}
inline ulong clz(ulong x) {
  return x != 0 ? __builtin_clzl(x) : 64;
}
inline uint ctz(uint x) {
  return x != 0 ? __builtin_ctz(x) : 32;
}
inline int ctz(int x) {
  return (int)ctz((uint)x);
}
inline ulong ctz(ulong x) {
  return x != 0 ? __builtin_ctzl(x) : 64;
}
inline uint mulhi(uint x, uint y) {
  return (uint)(((ulong)x * y) >> 32);
}
inline int mulhi(int x, int y) {
  return (int)(((long)x * y) >> 32);
}
inline uint mul24(uint x, uint y) {
  return (x & 0xFFFFFFu) * (y & 0xFFFFFFu);
}
inline uint mad24(uint x, uint y, uint z) {
  return mul24(x, y) + z;
}
inline uint rotate(uint x, uint bits) {
  return (x << (bits & 31u)) | (x >> ((32u - bits) & 31u));
}
inline uint reverse_bits(uint x) {
  return __builtin_bitreverse32(x);
}
inline uint extract_bits(uint x, uint offset, uint bits) {
  return bits == 0 ? 0 : (x >> offset) & (0xFFFFFFFFu >> (32 - bits));
}
inline int extract_bits(int x, uint offset, uint bits) {
  return bits == 0 ? 0 : (int)((uint)x << (32 - offset - bits)) >> (32 - bits);
}
inline uint insert_bits(uint base, uint insert, uint offset, uint bits) {
  const uint mask = bits == 0 ? 0 : (0xFFFFFFFFu >> (32 - bits)) << offset;
  return (base & ~mask) | ((insert << offset) & mask);
}
inline uint absdiff(uint x, uint y) {
  return x < y ? y - x : x - y;
}
inline uint absdiff(int x, int y) {
  return x < y ? (uint)y - (uint)x : (uint)x - (uint)y;
}

// `c` of vectors is what a comparison gives.
inline bool any(bool2 c) {
  return (c.x | c.y) != 0;
}
inline bool any(bool3 c) {
  return (c.x | c.y | c.z) != 0;
}
inline bool any(bool4 c) {
  return (c.x | c.y | c.z | c.w) != 0;
}
inline bool all(bool2 c) {
  return c.x != 0 && c.y != 0;
}
inline bool all(bool3 c) {
  return c.x != 0 && c.y != 0 && c.z != 0;
}
inline bool all(bool4 c) {
  return c.x != 0 && c.y != 0 && c.z != 0 && c.w != 0;
}
// b where c holds, else a.
template <typename T>
inline T select(T a, T b, bool c) {
  return c ? b : a;
}
#define METAL_SIM_SELECT(T, N)                                  \
  inline T##N select(T##N a, T##N b, bool##N c) {               \
    T##N r;                                                     \
    for (int i = 0; i < N; ++i) r[i] = c[i] != 0 ? b[i] : a[i]; \
    return r;                                                   \
  }
METAL_SIM_SELECT(float, 2)
METAL_SIM_SELECT(float, 3)
METAL_SIM_SELECT(float, 4)
METAL_SIM_SELECT(int, 2)
METAL_SIM_SELECT(int, 3)
METAL_SIM_SELECT(int, 4)
METAL_SIM_SELECT(uint, 2)
METAL_SIM_SELECT(uint, 3)
METAL_SIM_SELECT(uint, 4)
#undef METAL_SIM_SELECT

}  // namespace metal
