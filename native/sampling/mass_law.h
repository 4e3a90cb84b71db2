// The masses of one distribution (softmax_mass.h): those of the logits beside the largest, at a temperature.
#pragma once

#include <cstdint>

#include "sampling/rank_key.h"
#include "sampling/softmax_mass.h"

namespace emberline {

struct MassLaw {
  float largest;  // logit, finite
  float scale;    // mass_scale(temperature)

  // In [0, 2^43]. `logit` <= largest, also -inf.
  std::uint64_t mass(float logit) const { return mass_of(mass_exponent(largest - logit, scale)); }
  std::uint64_t mass(std::uint64_t rank_key) const { return mass(logit_of(rank_key)); }

  // The smallest finite logit with a mass of `mass` or more: a token has such a mass where its logit is not
  // below. `mass` in [1, 2^43].
  float least_logit(std::uint64_t mass) const;
};

}  // namespace emberline
