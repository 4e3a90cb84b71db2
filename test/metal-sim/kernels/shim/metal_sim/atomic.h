// Atomic operations (specification, section 6.13): relaxed, in device and threadgroup memory. One thread runs
// at a time and only leaves off at barriers, so plain loads and stores are atomic here.
#pragma once

// The compiler has types of these names.
#define atomic_int metal_sim_atomic_int
#define atomic_uint metal_sim_atomic_uint
#define atomic_bool metal_sim_atomic_bool
#define atomic_float metal_sim_atomic_float

// The simulator is told of the access by metal_sim_atomic, so the compiler need not instrument it as well.
#define METAL_SIM_ATOMIC_FUNC inline __attribute__((no_sanitize("kernel-address")))

namespace metal {

enum memory_order { memory_order_relaxed };

template <typename T>
struct atomic {
  T metal_sim_value;
};
typedef atomic<int> atomic_int;
typedef atomic<uint> atomic_uint;
typedef atomic<bool> atomic_bool;
typedef atomic<float> atomic_float;

#define METAL_SIM_ATOMIC_ACCESS(space)                                                                   \
  template <typename T>                                                                                  \
  METAL_SIM_ATOMIC_FUNC T atomic_load_explicit(const volatile space atomic<T>* p, memory_order) {        \
    metal_sim_atomic((ulong)p, sizeof(T), 1, 0);                                                         \
    return p->metal_sim_value;                                                                           \
  }                                                                                                      \
  template <typename T, typename U>                                                                      \
  METAL_SIM_ATOMIC_FUNC void atomic_store_explicit(volatile space atomic<T>* p, U value, memory_order) { \
    metal_sim_atomic((ulong)p, sizeof(T), 0, 1);                                                         \
    p->metal_sim_value = (T)value;                                                                       \
  }                                                                                                      \
  template <typename T, typename U>                                                                      \
  METAL_SIM_ATOMIC_FUNC T atomic_exchange_explicit(volatile space atomic<T>* p, U value, memory_order) { \
    metal_sim_atomic((ulong)p, sizeof(T), 1, 1);                                                         \
    const T old = p->metal_sim_value;                                                                    \
    p->metal_sim_value = (T)value;                                                                       \
    return old;                                                                                          \
  }                                                                                                      \
  template <typename T>                                                                                  \
  METAL_SIM_ATOMIC_FUNC bool atomic_compare_exchange_weak_explicit(                                      \
      volatile space atomic<T>* p, thread T* expected, T value, memory_order, memory_order) {            \
    metal_sim_atomic((ulong)p, sizeof(T), 1, 1);                                                         \
    const T old = p->metal_sim_value;                                                                    \
    if (old == *expected) {                                                                              \
      p->metal_sim_value = value;                                                                        \
      return true;                                                                                       \
    }                                                                                                    \
    *expected = old;                                                                                     \
    return false;                                                                                        \
  }
METAL_SIM_ATOMIC_ACCESS(device)
METAL_SIM_ATOMIC_ACCESS(threadgroup)
#undef METAL_SIM_ATOMIC_ACCESS

#define METAL_SIM_FETCH(space, T, name, expression)                                            \
  METAL_SIM_ATOMIC_FUNC T atomic_fetch_##name##_explicit(volatile space atomic<T>* p, T value, \
                                                         memory_order) {                       \
    metal_sim_atomic((ulong)p, sizeof(T), 1, 1);                                               \
    const T old = p->metal_sim_value;                                                          \
    p->metal_sim_value = expression;                                                           \
    return old;                                                                                \
  }
#define METAL_SIM_FETCH_INTEGER(space, T)                      \
  METAL_SIM_FETCH(space, T, add, (T)((uint)old + (uint)value)) \
  METAL_SIM_FETCH(space, T, sub, (T)((uint)old - (uint)value)) \
  METAL_SIM_FETCH(space, T, max, old < value ? value : old)    \
  METAL_SIM_FETCH(space, T, min, value < old ? value : old)    \
  METAL_SIM_FETCH(space, T, and, (T)(old & value))             \
  METAL_SIM_FETCH(space, T, or, (T)(old | value))              \
  METAL_SIM_FETCH(space, T, xor, (T)(old ^ value))
METAL_SIM_FETCH_INTEGER(device, int)
METAL_SIM_FETCH_INTEGER(device, uint)
METAL_SIM_FETCH_INTEGER(threadgroup, int)
METAL_SIM_FETCH_INTEGER(threadgroup, uint)
// Of floats, only sums and only in device memory.
METAL_SIM_FETCH(device, float, add, old + value)
METAL_SIM_FETCH(device, float, sub, old - value)
#undef METAL_SIM_FETCH_INTEGER
#undef METAL_SIM_FETCH
#undef METAL_SIM_ATOMIC_FUNC

}  // namespace metal
