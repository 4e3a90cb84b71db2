// Counter-based random numbers: a pure function of (seed, position, stream), the same on every platform and
// in any order.
//
// Source: Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC
// 2011). The key is the seed; the counter is (position, stream). Seeds or positions that differ by one give
// unrelated numbers.
#pragma once

#include <array>
#include <cstdint>

namespace emberline {

// What a number is drawn for. Two draws for one position must not share a stream.
enum class RandomStream : std::uint32_t {
  kSample = 0,  // picking a token from the filtered distribution
  kGumbel = 1,  // the noise of a token (gumbel_noise.h)
  // Of speculative decoding (decode/speculation):
  kDraft = 2,     // drafting a token from the draft model's distribution
  kAccept = 3,    // accepting a drafted token
  kResidual = 4,  // its replacement where it is not accepted
};

// The bare block function: ten rounds over a 128-bit counter under a 64-bit key.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

// Uniform in [0, 1), a multiple of 2^-53.
double random_uniform(std::uint64_t seed, std::uint64_t position, RandomStream stream);

}  // namespace emberline
