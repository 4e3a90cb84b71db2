// The self-test's inputs, and what its outputs should be: plain loops in double precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gguf/tensor_type.h"

namespace emberline::metal::reference {

using Values = std::vector<double>;

// Reproducible floats in -1 to 1, exact in float32; the same from the same seed.
std::vector<float> values(std::size_t count, std::uint32_t seed);
// Elements in about -1 to 1, with every value of a quant in use. [rows, columns] as a GGUF file has it.
std::vector<std::uint8_t> weights(TensorType type, std::size_t rows, std::size_t columns, std::uint32_t seed);
// Element by element.
Values widen(TensorType type, const std::vector<std::uint8_t>& weights, std::size_t count);
Values widen(const std::vector<float>& values);

// x[rows, in], weight[out, in] -> [rows, out].
Values product(const Values& x, const Values& weight, std::size_t in);
// x[rows, width], gain[width].
Values rms_norm(const Values& x, const Values& gain, double epsilon);
// Rotates the heads of rows[rows, heads * head_width], of which row 0 is at `position`; all of a head turns.
// factors: [head_width / 2], by which angles are divided; or empty.
void rotate(Values& rows, std::size_t head_width, std::size_t row_width, std::uint32_t position, double theta,
            bool halves, const std::vector<float>& factors);
// Factors of scaled positions, from 1 to about 8.
std::vector<float> rotation_factors(std::size_t count);
// activation: a kGate... of op_params.h.
Values gated_unit(const Values& gate, const Values& up, std::uint32_t activation);
// cap * tanh(x / cap).
Values soft_capped(const Values& x, double cap);
// q[rows, query heads * d], keys and values[entries, kv heads * d]; row r sees the first entries - rows + r
// + 1, or the last `window` of them.
struct Heads {
  std::size_t query, kv, width;
};
struct Scores {
  double scale;
  std::size_t window = 0;  // 0: all
  double cap = 0;          // 0: none
};
Values attention(const Values& q, const Values& keys, const Values& values, const Heads& heads,
                 const Scores& kind);

}  // namespace emberline::metal::reference
