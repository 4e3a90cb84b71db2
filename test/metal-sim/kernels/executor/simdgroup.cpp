#include "kernels/executor/simdgroup.h"

#include <bit>

namespace emberline::metal_sim {
namespace {

float to_float(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
std::uint64_t from_float(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
std::uint32_t to_uint(std::uint64_t bits) {
  return static_cast<std::uint32_t>(bits);
}
std::uint64_t from_uint(std::uint32_t value) {
  return value;
}
std::int32_t to_int(std::uint64_t bits) {
  return static_cast<std::int32_t>(bits);
}
std::uint64_t from_int(std::int32_t value) {
  return static_cast<std::uint32_t>(value);
}

struct Float {
  static float in(std::uint64_t bits) { return to_float(bits); }
  static std::uint64_t out(float value) { return from_float(value); }
};
struct UInt {
  static std::uint32_t in(std::uint64_t bits) { return to_uint(bits); }
  static std::uint64_t out(std::uint32_t value) { return from_uint(value); }
};
struct Int {
  static std::int32_t in(std::uint64_t bits) { return to_int(bits); }
  static std::uint64_t out(std::int32_t value) { return from_int(value); }
};

// Pairwise, neighbours first: the specification leaves the order open.
template <typename Type, typename Combine>
void reduce(SimdGroup& group, std::array<std::uint64_t, 32>& results, Combine combine) {
  decltype(Type::in(0)) values[32];
  unsigned count = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((group.arrived >> lane & 1u) != 0) values[count++] = Type::in(group.values[lane]);
  }
  for (unsigned step = 1; step < count; step *= 2) {
    for (unsigned i = 0; i + step < count; i += 2 * step) values[i] = combine(values[i], values[i + step]);
  }
  results.fill(Type::out(values[0]));
}

template <typename Type>
void prefix_sum(SimdGroup& group, std::array<std::uint64_t, 32>& results, bool inclusive) {
  decltype(Type::in(0)) sum = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const bool takes_part = (group.arrived >> lane & 1u) != 0;
    if (!inclusive) results[lane] = Type::out(sum);
    if (takes_part) sum = sum + Type::in(group.values[lane]);
    if (inclusive) results[lane] = Type::out(sum);
  }
}

void multiply_accumulate(SimdGroup& group, std::array<std::uint64_t, 32>& results) {
  float a[8][8], b[8][8], d[8][8];
  for (unsigned lane = 0; lane < 32; ++lane) {
    const auto [row, column] = matrix_place(lane);
    for (unsigned i = 0; i < 2; ++i) {
      a[row][column + i] = group.matrices[lane][i];
      b[row][column + i] = group.matrices[lane][2 + i];
      d[row][column + i] = group.matrices[lane][4 + i];
    }
  }
  for (unsigned k = 0; k < 8; ++k) {
    for (unsigned row = 0; row < 8; ++row) {
      for (unsigned column = 0; column < 8; ++column) d[row][column] += a[row][k] * b[k][column];
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    const auto [row, column] = matrix_place(lane);
    results[lane] = from_float(d[row][column]) | from_float(d[row][column + 1]) << 32;
  }
}

std::uint64_t ballot(const SimdGroup& group) {
  std::uint64_t votes = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((group.arrived >> lane & 1u) != 0 && group.values[lane] != 0) votes |= std::uint64_t{1} << lane;
  }
  return votes;
}

bool equal_operands(const SimdGroup& group) {
  const std::uint32_t first = group.operands[static_cast<std::uint32_t>(std::countr_zero(group.arrived))];
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((group.arrived >> lane & 1u) != 0 && group.operands[lane] != first) return false;
  }
  return true;
}

}  // namespace

void SimdGroup::compute() {
  auto& out = results[generation & 1u];
  took_part[generation & 1u] = arrived;
  switch (operation) {
    case METAL_SIM_SUM_FLOAT: return reduce<Float>(*this, out, [](float a, float b) { return a + b; });
    case METAL_SIM_SUM_INT: return reduce<UInt>(*this, out, [](auto a, auto b) { return a + b; });
    case METAL_SIM_PRODUCT_FLOAT: return reduce<Float>(*this, out, [](float a, float b) { return a * b; });
    case METAL_SIM_PRODUCT_INT: return reduce<UInt>(*this, out, [](auto a, auto b) { return a * b; });
    // A NaN loses against a number, as in fmax and fmin.
    case METAL_SIM_MAX_FLOAT:
      return reduce<Float>(*this, out, [](float a, float b) { return a > b || b != b ? a : b; });
    case METAL_SIM_MIN_FLOAT:
      return reduce<Float>(*this, out, [](float a, float b) { return a < b || b != b ? a : b; });
    case METAL_SIM_MAX_INT: return reduce<Int>(*this, out, [](auto a, auto b) { return a > b ? a : b; });
    case METAL_SIM_MAX_UINT: return reduce<UInt>(*this, out, [](auto a, auto b) { return a > b ? a : b; });
    case METAL_SIM_MIN_INT: return reduce<Int>(*this, out, [](auto a, auto b) { return a < b ? a : b; });
    case METAL_SIM_MIN_UINT: return reduce<UInt>(*this, out, [](auto a, auto b) { return a < b ? a : b; });
    case METAL_SIM_AND: return reduce<UInt>(*this, out, [](auto a, auto b) { return a & b; });
    case METAL_SIM_OR: return reduce<UInt>(*this, out, [](auto a, auto b) { return a | b; });
    case METAL_SIM_XOR: return reduce<UInt>(*this, out, [](auto a, auto b) { return a ^ b; });
    case METAL_SIM_PREFIX_EXCLUSIVE_SUM_FLOAT: return prefix_sum<Float>(*this, out, false);
    case METAL_SIM_PREFIX_EXCLUSIVE_SUM_INT: return prefix_sum<UInt>(*this, out, false);
    case METAL_SIM_PREFIX_INCLUSIVE_SUM_FLOAT: return prefix_sum<Float>(*this, out, true);
    case METAL_SIM_PREFIX_INCLUSIVE_SUM_INT: return prefix_sum<UInt>(*this, out, true);
    case METAL_SIM_BALLOT: return out.fill(ballot(*this));
    case METAL_SIM_ACTIVE: return out.fill(arrived);
    case METAL_SIM_EXCHANGE:
      out = values;
      operands_equal[generation & 1u] = equal_operands(*this);
      return;
    case METAL_SIM_MULTIPLY_ACCUMULATE: return multiply_accumulate(*this, out);
    default: return;  // METAL_SIM_BARRIER
  }
}

}  // namespace emberline::metal_sim
