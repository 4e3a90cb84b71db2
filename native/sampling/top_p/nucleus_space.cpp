#include "sampling/top_p/nucleus_space.h"

#include "sampling/kernels/sampling_kernels.h"

namespace emberline {

void NucleusSpace::reserve(std::size_t vocabulary) {
  if (vocabulary <= vocabulary_) return;
  const std::size_t room = vocabulary + kCollectSlack;
  vocabulary_ = 0;
  for (auto* array : {&keys_[0], &keys_[1], &masses_[0], &masses_[1]}) {
    array->reset(new std::uint64_t[room]);
  }
  vocabulary_ = vocabulary;
}

}  // namespace emberline
