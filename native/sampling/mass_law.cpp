#include "sampling/mass_law.h"

namespace emberline {

float MassLaw::least_logit(std::uint64_t mass) const {
  // Masses do not fall as keys rise, so the first that has enough is found by bisection.
  std::uint32_t low = kMaskedKey + 1, high = logit_key(largest);
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (this->mass(key_logit(middle)) >= mass) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return key_logit(high);
}

}  // namespace emberline
