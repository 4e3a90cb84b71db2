// A simdgroup: 32 lanes that exchange values where all of them have come to the same operation.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "kernels/shim/metal_sim/abi.h"

namespace emberline::metal_sim {

struct SimdGroup {
  std::uint32_t lanes = 0;    // lanes that exist, a bit each: fewer than 32 in an uneven last simdgroup
  std::uint32_t live = 0;     // lanes that have not returned from the kernel
  std::uint32_t ready = 0;    // lanes that can run
  std::uint32_t arrived = 0;  // lanes that wait in `operation`

  unsigned operation = 0;
  const void* site = nullptr;  // where in the kernel's code: two sum operations are not the same operation
  // Results of the last two operations: a lane may collect its own when others are at the next already.
  unsigned generation = 0;
  std::array<std::array<std::uint64_t, 32>, 2> results{};
  std::array<std::uint32_t, 2> took_part{};  // lanes, a bit each
  std::array<bool, 2> operands_equal{};
  std::array<std::uint64_t, 32> values{};
  std::array<std::uint32_t, 32> operands{};         // of a shuffle
  std::array<std::array<float, 6>, 32> matrices{};  // a0 a1 b0 b1 c0 c1 of each lane

  // Operations without exchange that each lane took part in, as a hash: lanes that meet must agree.
  std::array<std::uint64_t, 32> participation{};
  bool participated = false;

  // The results of `operation` from the values of the lanes that arrived.
  void compute();
  std::uint64_t value_of_any() const { return values[static_cast<std::uint32_t>(std::countr_zero(arrived))]; }
};

// The two elements of an 8x8 matrix that a lane holds: (row, column) and (row, column + 1).
struct MatrixPlace {
  unsigned row, column;
};
constexpr MatrixPlace matrix_place(unsigned lane) {
  const unsigned quad = lane / 4;
  return {(quad & 4) + (lane / 2) % 4, (quad & 2) * 2 + (lane % 2) * 2};
}

}  // namespace emberline::metal_sim
