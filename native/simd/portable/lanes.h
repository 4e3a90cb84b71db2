// Vectors of 16 bytes, for loops that must not hang on what a compiler's vectoriser makes of them: GCC and
// clang have vector types, which each target lowers to the registers that it has; elsewhere plain loops say
// the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace emberline {
namespace {

#if defined(__GNUC__) && !defined(EMBERLINE_PLAIN_LANES)

// Unsigned, so that they wrap around; the low 16 bits of sums and products are those of signed integers.
using Shorts = std::uint16_t __attribute__((vector_size(16)));
using Ints = std::int32_t __attribute__((vector_size(16)));
using Longs = std::uint64_t __attribute__((vector_size(16)));
using Floats = float __attribute__((vector_size(16)));

inline Floats to_floats(Ints a) {
  return __builtin_convertvector(a, Floats);
}
// a0 + a1, a2 + a3, b0 + b1, b2 + b3
inline Ints add_neighbours(Ints a, Ints b) {
  return __builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7);
}

#else

// What is used of the operators of a vector type.
template <typename T>
struct PlainLanes {
  static constexpr std::size_t kCount = 16 / sizeof(T);
  T v[kCount];

  template <typename F>
  static PlainLanes generate(F f) {
    PlainLanes r{};
    for (std::size_t i = 0; i < kCount; ++i) r.v[i] = static_cast<T>(f(i));
    return r;
  }
  friend PlainLanes operator+(const PlainLanes& a, const PlainLanes& b) {
    return generate([&](std::size_t i) { return a.v[i] + b.v[i]; });
  }
  friend PlainLanes operator+(const PlainLanes& a, T b) {
    return generate([&](std::size_t i) { return a.v[i] + b; });
  }
  friend PlainLanes operator-(const PlainLanes& a, const PlainLanes& b) {
    return generate([&](std::size_t i) { return a.v[i] - b.v[i]; });
  }
  friend PlainLanes operator/(const PlainLanes& a, const PlainLanes& b) {
    return generate([&](std::size_t i) { return a.v[i] / b.v[i]; });
  }
  friend PlainLanes operator*(const PlainLanes& a, const PlainLanes& b) {
    // T{1} * 1u: 16 bits are multiplied as unsigned 32, which cannot overflow.
    return generate([&](std::size_t i) { return a.v[i] * (T{1} * 1u) * b.v[i]; });
  }
  friend PlainLanes operator*(const PlainLanes& a, T b) {
    return generate([&](std::size_t i) { return a.v[i] * (T{1} * 1u) * b; });
  }
  friend PlainLanes operator&(const PlainLanes& a, const PlainLanes& b) {
    return generate([&](std::size_t i) { return a.v[i] & b.v[i]; });
  }
  friend PlainLanes operator<<(const PlainLanes& a, int bits) {
    return generate([&](std::size_t i) { return a.v[i] << bits; });
  }
  friend PlainLanes operator>>(const PlainLanes& a, int bits) {
    return generate([&](std::size_t i) { return a.v[i] >> bits; });
  }
};
using Shorts = PlainLanes<std::uint16_t>;
using Ints = PlainLanes<std::int32_t>;
using Longs = PlainLanes<std::uint64_t>;
using Floats = PlainLanes<float>;

// All ones or zero, as vector types have it.
inline Ints operator<=(const Floats& a, const Floats& b) {
  return Ints::generate([&](std::size_t i) { return a.v[i] <= b.v[i] ? -1 : 0; });
}
inline Floats to_floats(const Ints& a) {
  return Floats::generate([&](std::size_t i) { return a.v[i]; });
}
inline Ints add_neighbours(const Ints& a, const Ints& b) {
  return Ints::generate(
      [&](std::size_t i) { return i < 2 ? a.v[2 * i] + a.v[2 * i + 1] : b.v[2 * i - 4] + b.v[2 * i - 3]; });
}

#endif

template <typename Lanes>
inline Lanes load_lanes(const void* p) {
  Lanes a;
  std::memcpy(&a, p, sizeof(a));
  return a;
}
template <typename Lanes>
inline void store_lanes(void* p, const Lanes& a) {
  std::memcpy(p, &a, sizeof(a));
}

// The 4 integers at p, twice.
inline Shorts load_4_twice(const std::int16_t* p) {
  std::uint64_t four;
  std::memcpy(&four, p, sizeof(four));
  const Longs twice = Longs{} + four;
  return load_lanes<Shorts>(&twice);
}

// The sums of each two neighbouring integers of a, as signed ones.
inline Ints add_neighbours(const Shorts& a) {
  const Ints pairs = load_lanes<Ints>(&a);
  return (pairs >> 16) + ((pairs << 16) >> 16);
}

}  // namespace
}  // namespace emberline
