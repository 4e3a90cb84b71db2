// Where a round of speculative decoding takes its uniform random numbers from, so that a test can put every
// one of them in its place.
#pragma once

#include <cstdint>

#include "sampling/random.h"

namespace emberline::testing {

class UniformSource {
 public:
  virtual ~UniformSource() = default;
  // In [0, 1). Asked at most once for a position and a stream in one round of drafting and verifying.
  virtual double uniform(std::uint64_t position, RandomStream stream) = 0;
};

// Those of a seed (sampling/random.h).
class SeededUniforms final : public UniformSource {
 public:
  explicit SeededUniforms(std::uint64_t seed) : seed_(seed) {}
  double uniform(std::uint64_t position, RandomStream stream) override {
    return random_uniform(seed_, position, stream);
  }

 private:
  std::uint64_t seed_;
};

}  // namespace emberline::testing
