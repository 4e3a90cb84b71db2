// SIMD-group matrices (specification, sections 2.3.2 and 6.7): 8x8, of half or float. Each lane holds two
// neighbouring elements of a row, in the places where Apple's GPUs hold them.
#pragma once

namespace metal_sim {

// The row, and the first column, of this lane's elements.
struct matrix_place {
  uint row, column;
  METAL_FUNC matrix_place() {
    const uint lane = metal_sim_lane(), quad = lane / 4;
    row = (quad & 4) + lane / 2 % 4;
    column = (quad & 2) * 2 + lane % 2 * 2;
  }
};

}  // namespace metal_sim

namespace metal {

template <typename T, int Cols, int Rows>
struct simdgroup_matrix {
  static_assert(Cols == 8 && Rows == 8, "simdgroup matrices are 8x8");
  T metal_sim_elements[2];

  simdgroup_matrix() = default;
#ifdef METAL_SIM_STRICT  // without the generic address space there are no implicit copies
  simdgroup_matrix(const thread simdgroup_matrix& other) { *this = other; }
  thread simdgroup_matrix& operator=(const thread simdgroup_matrix& other) {
    for (uint i = 0; i < 2; ++i) metal_sim_elements[i] = other.metal_sim_elements[i];
    return *this;
  }
#endif
  // A diagonal matrix.
  explicit simdgroup_matrix(T diagonal) {
    const metal_sim::matrix_place place;
    for (uint i = 0; i < 2; ++i) metal_sim_elements[i] = place.row == place.column + i ? diagonal : (T)0;
  }
};
typedef simdgroup_matrix<float, 8, 8> simdgroup_float8x8;
typedef simdgroup_matrix<half, 8, 8> simdgroup_half8x8;

template <typename T, int Cols, int Rows>
METAL_FUNC simdgroup_matrix<T, Cols, Rows> make_filled_simdgroup_matrix(T value) {
  simdgroup_matrix<T, Cols, Rows> m;
  m.metal_sim_elements[0] = m.metal_sim_elements[1] = value;
  return m;
}

#define METAL_SIM_MATRIX_MEMORY(space)                                                     \
  template <typename T>                                                                    \
  METAL_FUNC void simdgroup_load(thread simdgroup_matrix<T, 8, 8>& d, const space T* src,  \
                                 ulong elements_per_row = 8, ulong2 origin = (ulong2)(0),  \
                                 bool transpose_matrix = false) {                          \
    metal_sim_take_part();                                                                 \
    const metal_sim::matrix_place place;                                                   \
    const space T* p = src + origin.y * elements_per_row + origin.x;                       \
    for (uint i = 0; i < 2; ++i) {                                                         \
      const uint row = transpose_matrix ? place.column + i : place.row;                    \
      const uint column = transpose_matrix ? place.row : place.column + i;                 \
      d.metal_sim_elements[i] = p[row * elements_per_row + column];                        \
    }                                                                                      \
  }                                                                                        \
  template <typename T>                                                                    \
  METAL_FUNC void simdgroup_store(const thread simdgroup_matrix<T, 8, 8>& a, space T* dst, \
                                  ulong elements_per_row = 8, ulong2 origin = (ulong2)(0), \
                                  bool transpose_matrix = false) {                         \
    metal_sim_take_part();                                                                 \
    const metal_sim::matrix_place place;                                                   \
    space T* p = dst + origin.y * elements_per_row + origin.x;                             \
    for (uint i = 0; i < 2; ++i) {                                                         \
      const uint row = transpose_matrix ? place.column + i : place.row;                    \
      const uint column = transpose_matrix ? place.row : place.column + i;                 \
      p[row * elements_per_row + column] = a.metal_sim_elements[i];                        \
    }                                                                                      \
  }
METAL_SIM_MATRIX_MEMORY(device)
METAL_SIM_MATRIX_MEMORY(threadgroup)
#undef METAL_SIM_MATRIX_MEMORY

// d = a b + c, accumulated in float.
template <typename D, typename A, typename B, typename C>
METAL_FUNC void simdgroup_multiply_accumulate(thread simdgroup_matrix<D, 8, 8>& d,
                                              const thread simdgroup_matrix<A, 8, 8>& a,
                                              const thread simdgroup_matrix<B, 8, 8>& b,
                                              const thread simdgroup_matrix<C, 8, 8>& c) {
  float operands[6] = {(float)a.metal_sim_elements[0], (float)a.metal_sim_elements[1],
                       (float)b.metal_sim_elements[0], (float)b.metal_sim_elements[1],
                       (float)c.metal_sim_elements[0], (float)c.metal_sim_elements[1]};
  const ulong result = metal_sim_multiply_accumulate((ulong)operands);
  d.metal_sim_elements[0] = (D) __builtin_bit_cast(float, (uint)result);
  d.metal_sim_elements[1] = (D) __builtin_bit_cast(float, (uint)(result >> 32));
}

// d = a b.
template <typename D, typename A, typename B>
METAL_FUNC void simdgroup_multiply(thread simdgroup_matrix<D, 8, 8>& d,
                                   const thread simdgroup_matrix<A, 8, 8>& a,
                                   const thread simdgroup_matrix<B, 8, 8>& b) {
  const simdgroup_matrix<D, 8, 8> zero = make_filled_simdgroup_matrix<D, 8, 8>((D)0);
  simdgroup_multiply_accumulate(d, a, b, zero);
}

}  // namespace metal
