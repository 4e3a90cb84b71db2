// SIMD-group and quad-group functions (specification, section 6.11.2). All are inlined, so that the address
// of the call into the simulator tells one operation of a kernel from another.
#pragma once

namespace metal_sim {

// A value as the bits that travel, and back. Half and the small integers travel as float and as 32 bits.
METAL_FUNC ulong to_bits(float v) {
  return __builtin_bit_cast(uint, v);
}
METAL_FUNC ulong to_bits(half v) {
  return __builtin_bit_cast(uint, (float)v);
}
METAL_FUNC ulong to_bits(int v) {
  return (uint)v;
}
METAL_FUNC ulong to_bits(uint v) {
  return v;
}
METAL_FUNC ulong to_bits(short v) {
  return (uint)(int)v;
}
METAL_FUNC ulong to_bits(ushort v) {
  return v;
}
METAL_FUNC ulong to_bits(char v) {
  return (uint)(int)v;
}
METAL_FUNC ulong to_bits(uchar v) {
  return v;
}
template <typename T>
METAL_FUNC T from_bits(ulong bits) {
  return (T)(uint)bits;
}
template <>
METAL_FUNC float from_bits<float>(ulong bits) {
  return __builtin_bit_cast(float, (uint)bits);
}
template <>
METAL_FUNC half from_bits<half>(ulong bits) {
  return (half) __builtin_bit_cast(float, (uint)bits);
}

template <typename T>
METAL_FUNC T exchange(uint kind, T v, uint operand) {
  using bits = typename bits_of<sizeof(T)>::type;
  const bits own = __builtin_bit_cast(bits, v);
  if constexpr (sizeof(T) == 16) {
    bits got;
    got.x = metal_sim_shuffle(kind, own.x, operand);
    got.y = metal_sim_shuffle(kind, own.y, operand);
    return __builtin_bit_cast(T, got);
  } else {
    return __builtin_bit_cast(T, (bits)metal_sim_shuffle(kind, own, operand));
  }
}

}  // namespace metal_sim

namespace metal {

// -- reductions and prefix sums

#define METAL_SIM_REDUCE_SCALAR(name, T, operation)                                   \
  METAL_FUNC T name(T v) {                                                            \
    return metal_sim::from_bits<T>(metal_sim_simd(operation, metal_sim::to_bits(v))); \
  }
#define METAL_SIM_REDUCE_VECTOR(name, T, N)           \
  METAL_FUNC T##N name(T##N v) {                      \
    T##N r;                                           \
    for (int i = 0; i < N; ++i) r[i] = name((T)v[i]); \
    return r;                                         \
  }
#define METAL_SIM_REDUCE_TYPE(name, T, operation) \
  METAL_SIM_REDUCE_SCALAR(name, T, operation)     \
  METAL_SIM_REDUCE_VECTOR(name, T, 2) METAL_SIM_REDUCE_VECTOR(name, T, 3) METAL_SIM_REDUCE_VECTOR(name, T, 4)
#define METAL_SIM_REDUCE_FLOATS(name, operation) \
  METAL_SIM_REDUCE_TYPE(name, float, operation)  \
  METAL_SIM_REDUCE_TYPE(name, half, operation)
#define METAL_SIM_REDUCE_SIGNED(name, operation) \
  METAL_SIM_REDUCE_TYPE(name, int, operation)    \
  METAL_SIM_REDUCE_TYPE(name, short, operation)  \
  METAL_SIM_REDUCE_TYPE(name, char, operation)
#define METAL_SIM_REDUCE_UNSIGNED(name, operation) \
  METAL_SIM_REDUCE_TYPE(name, uint, operation)     \
  METAL_SIM_REDUCE_TYPE(name, ushort, operation)   \
  METAL_SIM_REDUCE_TYPE(name, uchar, operation)
#define METAL_SIM_REDUCE(name, floats, signed_, unsigned_) \
  METAL_SIM_REDUCE_FLOATS(name, floats)                    \
  METAL_SIM_REDUCE_SIGNED(name, signed_)                   \
  METAL_SIM_REDUCE_UNSIGNED(name, unsigned_)

METAL_SIM_REDUCE(simd_sum, METAL_SIM_SUM_FLOAT, METAL_SIM_SUM_INT, METAL_SIM_SUM_INT)
METAL_SIM_REDUCE(simd_product, METAL_SIM_PRODUCT_FLOAT, METAL_SIM_PRODUCT_INT, METAL_SIM_PRODUCT_INT)
METAL_SIM_REDUCE(simd_max, METAL_SIM_MAX_FLOAT, METAL_SIM_MAX_INT, METAL_SIM_MAX_UINT)
METAL_SIM_REDUCE(simd_min, METAL_SIM_MIN_FLOAT, METAL_SIM_MIN_INT, METAL_SIM_MIN_UINT)
METAL_SIM_REDUCE(simd_prefix_exclusive_sum, METAL_SIM_PREFIX_EXCLUSIVE_SUM_FLOAT,
                 METAL_SIM_PREFIX_EXCLUSIVE_SUM_INT, METAL_SIM_PREFIX_EXCLUSIVE_SUM_INT)
METAL_SIM_REDUCE(simd_prefix_inclusive_sum, METAL_SIM_PREFIX_INCLUSIVE_SUM_FLOAT,
                 METAL_SIM_PREFIX_INCLUSIVE_SUM_INT, METAL_SIM_PREFIX_INCLUSIVE_SUM_INT)
METAL_SIM_REDUCE_SIGNED(simd_and, METAL_SIM_AND)
METAL_SIM_REDUCE_UNSIGNED(simd_and, METAL_SIM_AND)
METAL_SIM_REDUCE_SIGNED(simd_or, METAL_SIM_OR)
METAL_SIM_REDUCE_UNSIGNED(simd_or, METAL_SIM_OR)
METAL_SIM_REDUCE_SIGNED(simd_xor, METAL_SIM_XOR)
METAL_SIM_REDUCE_UNSIGNED(simd_xor, METAL_SIM_XOR)
#undef METAL_SIM_REDUCE
#undef METAL_SIM_REDUCE_UNSIGNED
#undef METAL_SIM_REDUCE_SIGNED
#undef METAL_SIM_REDUCE_FLOATS
#undef METAL_SIM_REDUCE_TYPE
#undef METAL_SIM_REDUCE_VECTOR
#undef METAL_SIM_REDUCE_SCALAR

// -- shuffles

#define METAL_SIM_SHUFFLE(name, kind)                \
  template <typename T>                              \
  METAL_FUNC T name(T data, ushort operand) {        \
    return metal_sim::exchange(kind, data, operand); \
  }
METAL_SIM_SHUFFLE(simd_shuffle, METAL_SIM_SHUFFLE_LANE)
METAL_SIM_SHUFFLE(simd_broadcast, METAL_SIM_SHUFFLE_UNIFORM)
METAL_SIM_SHUFFLE(simd_shuffle_xor, METAL_SIM_SHUFFLE_XOR)
METAL_SIM_SHUFFLE(simd_shuffle_down, METAL_SIM_SHUFFLE_DOWN)
METAL_SIM_SHUFFLE(simd_shuffle_up, METAL_SIM_SHUFFLE_UP)
METAL_SIM_SHUFFLE(simd_shuffle_rotate_down, METAL_SIM_SHUFFLE_ROTATE_DOWN)
METAL_SIM_SHUFFLE(simd_shuffle_rotate_up, METAL_SIM_SHUFFLE_ROTATE_UP)
#undef METAL_SIM_SHUFFLE
template <typename T>
METAL_FUNC T simd_broadcast_first(T data) {
  return metal_sim::exchange(METAL_SIM_SHUFFLE_FIRST, data, 0);
}

template <typename T>
METAL_FUNC T quad_shuffle_xor(T data, ushort mask) {
  return metal_sim::exchange(METAL_SIM_SHUFFLE_XOR, data, mask & 3u);
}
template <typename T>
METAL_FUNC T quad_broadcast(T data, ushort lane) {
  return metal_sim::exchange(METAL_SIM_SHUFFLE_LANE, data, (metal_sim_lane() & ~3u) + (lane & 3u));
}
template <typename T>
METAL_FUNC T quad_sum(T data) {
  const T pair = data + quad_shuffle_xor(data, 1);
  return pair + quad_shuffle_xor(pair, 2);
}
template <typename T>
METAL_FUNC T quad_max(T data) {
  const T pair = max(data, quad_shuffle_xor(data, 1));
  return max(pair, quad_shuffle_xor(pair, 2));
}

// -- votes

class simd_vote {
 public:
  typedef ulong vote_t;
  explicit constexpr simd_vote(vote_t votes = 0) : votes_(votes) {}
#ifdef METAL_SIM_STRICT  // without the generic address space there are no implicit copies
  simd_vote(const thread simd_vote& other) : votes_(other.votes_) {}
#endif
  explicit constexpr operator vote_t() const { return votes_; }
  constexpr bool all() const { return (votes_ & 0xFFFFFFFFul) == 0xFFFFFFFFul; }
  constexpr bool any() const { return votes_ != 0; }

 private:
  vote_t votes_;
};

METAL_FUNC simd_vote simd_ballot(bool vote) {
  return simd_vote(metal_sim_simd(METAL_SIM_BALLOT, vote));
}
METAL_FUNC simd_vote simd_active_threads_mask() {
  return simd_vote(metal_sim_simd(METAL_SIM_ACTIVE, 0));
}
METAL_FUNC bool simd_any(bool vote) {
  return metal_sim_simd(METAL_SIM_BALLOT, vote) != 0;
}
METAL_FUNC bool simd_all(bool vote) {
  return metal_sim_simd(METAL_SIM_BALLOT, !vote) == 0;
}
METAL_FUNC bool simd_is_first() {
  return metal_sim_lane() == (uint)__builtin_ctzl(metal_sim_simd(METAL_SIM_ACTIVE, 0));
}

}  // namespace metal
