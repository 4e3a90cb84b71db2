// The llama block as its papers write it: one function, double precision, every position recomputed from the
// tokens alone.
//
// Shares no code with the engine but the file reader: it knows no ops, no tables, no cache. What a forward
// pass is measured by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gguf/gguf_file.h"
#include "reference/reference_device.h"

namespace emberline::testing {

// Logits [V] behind the last of `tokens`.
std::vector<double> straight_forward(const GgufFile& file, std::span<const std::uint32_t> tokens);

// |a - b| / |b|, in the Euclidean norm.
double relative_error(std::span<const float> a, std::span<const double> b);

}  // namespace emberline::testing
