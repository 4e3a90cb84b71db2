// The law of one token as integers: what speculative decoding compares and draws from.
#pragma once

#include <cstdint>
#include <vector>

namespace emberline {

// Token tokens[i] has the probability masses[i] / total exactly. Tokens of no mass are left out.
struct Distribution {
  // Most probable first (ties: lower id first) where a filter was on; by id where none was: to put a whole
  // vocabulary in order costs more than to draw from it.
  std::vector<std::uint32_t> tokens;
  std::vector<std::uint64_t> masses;  // of softmax_mass.h, > 0; 2^43 is that of the largest logit
  std::uint64_t total = 0;            // the sum of `masses`, in [1, 2^63]
};

// floor(uniform * total), exactly: `uniform` in [0, 1), bits of it below 2^-64 ignored.
std::uint64_t mass_below(double uniform, std::uint64_t total);

// The token where the cumulative mass, in the order stored, first exceeds mass_below(uniform, total). A
// multiple of 2^-53 gives a token a probability within 2^-53 of its own. The distribution must not be empty.
std::uint32_t draw_from(const Distribution& distribution, double uniform);

}  // namespace emberline
