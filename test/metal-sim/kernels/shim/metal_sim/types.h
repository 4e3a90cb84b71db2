// Scalar and vector types (specification, sections 2.1 to 2.3). `half` is the compiler's own.
#pragma once

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;

#define METAL_SIM_VECTORS(T)                          \
  typedef T T##2 __attribute__((ext_vector_type(2))); \
  typedef T T##3 __attribute__((ext_vector_type(3))); \
  typedef T T##4 __attribute__((ext_vector_type(4)));
METAL_SIM_VECTORS(char)
METAL_SIM_VECTORS(uchar)
METAL_SIM_VECTORS(short)
METAL_SIM_VECTORS(ushort)
METAL_SIM_VECTORS(int)
METAL_SIM_VECTORS(uint)
METAL_SIM_VECTORS(long)
METAL_SIM_VECTORS(ulong)
METAL_SIM_VECTORS(half)
METAL_SIM_VECTORS(float)
#undef METAL_SIM_VECTORS

// Comparisons of vectors give integers here, which is all that their users (any, all, select) see.
typedef int2 bool2;
typedef int3 bool3;
typedef int4 bool4;

// Vectors without the alignment of vectors. Those of three elements are missing: they need a layout that
// clang's vectors do not have.
#define METAL_SIM_PACKED(T, bytes)                                             \
  typedef T packed_##T##2 __attribute__((ext_vector_type(2), aligned(bytes))); \
  typedef T packed_##T##4 __attribute__((ext_vector_type(4), aligned(bytes)));
METAL_SIM_PACKED(char, 1)
METAL_SIM_PACKED(uchar, 1)
METAL_SIM_PACKED(short, 2)
METAL_SIM_PACKED(ushort, 2)
METAL_SIM_PACKED(half, 2)
METAL_SIM_PACKED(int, 4)
METAL_SIM_PACKED(uint, 4)
METAL_SIM_PACKED(float, 4)
#undef METAL_SIM_PACKED

namespace metal_sim {

template <typename T, int N>
struct vector_of {};
// What a vector is made of; a scalar is a vector of one.
template <typename V>
struct parts {
  using element = V;
  static constexpr int count = 1;
};
#define METAL_SIM_PARTS(T, N)       \
  template <>                       \
  struct vector_of<T, N> {          \
    using type = T##N;              \
  };                                \
  template <>                       \
  struct parts<T##N> {              \
    using element = T;              \
    static constexpr int count = N; \
  };
#define METAL_SIM_PARTS_OF(T) METAL_SIM_PARTS(T, 2) METAL_SIM_PARTS(T, 3) METAL_SIM_PARTS(T, 4)
METAL_SIM_PARTS_OF(char)
METAL_SIM_PARTS_OF(uchar)
METAL_SIM_PARTS_OF(short)
METAL_SIM_PARTS_OF(ushort)
METAL_SIM_PARTS_OF(int)
METAL_SIM_PARTS_OF(uint)
METAL_SIM_PARTS_OF(long)
METAL_SIM_PARTS_OF(ulong)
METAL_SIM_PARTS_OF(half)
METAL_SIM_PARTS_OF(float)
#undef METAL_SIM_PARTS_OF
#undef METAL_SIM_PARTS

// The unsigned integer as wide as a value.
template <int bytes>
struct bits_of {};
template <>
struct bits_of<1> {
  using type = uchar;
};
template <>
struct bits_of<2> {
  using type = ushort;
};
template <>
struct bits_of<4> {
  using type = uint;
};
template <>
struct bits_of<8> {
  using type = ulong;
};
template <>
struct bits_of<16> {
  using type = ulong2;
};

}  // namespace metal_sim

namespace metal {

template <typename T, int N>
using vec = typename metal_sim::vector_of<T, N>::type;

template <typename T, typename U>
inline T as_type(U value) {
  static_assert(sizeof(T) == sizeof(U), "as_type needs types of one size");
  return __builtin_bit_cast(T, value);
}

}  // namespace metal
