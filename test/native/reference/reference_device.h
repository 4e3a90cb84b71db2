// The oracle: a Device that computes the basic ops by plain loops in double precision, one thread, no tricks.
//
// Weights are widened element by element, sums run in index order in double, and a result is rounded once, to
// the float32 (or, in the cache, f16) the contract stores. It checks every access while it runs, so a wrong
// table fails here first.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/device.h"
#include "gguf/tensor_type.h"

namespace emberline::testing {

std::unique_ptr<Device> make_reference_device();

// Row `row` of a weight matrix with rows of `width` elements, widened to double. `weights` holds at least row
// + 1 rows.
std::vector<double> widen_row(TensorType type, std::span<const std::uint8_t> weights, std::size_t row,
                              std::size_t width);

// Frobenius' norm of rows [first, first + count) of such a matrix.
double frobenius_norm(TensorType type, std::span<const std::uint8_t> weights, std::size_t first,
                      std::size_t count, std::size_t width);

// Half floats as floats.
std::vector<float> widen_halves(std::span<const std::uint16_t> halves);

}  // namespace emberline::testing
