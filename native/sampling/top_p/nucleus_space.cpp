#include "sampling/top_p/nucleus_space.h"

#include <new>

#include "sampling/kernels/sampling_kernels.h"

namespace emberline {

Status NucleusSpace::reserve(std::size_t vocabulary) {
  if (vocabulary <= vocabulary_) return {};
  const std::size_t room = vocabulary + kCollectSlack;
  vocabulary_ = 0;
  try {
    for (auto* array : {&keys_[0], &keys_[1], &masses_[0], &masses_[1]}) {
      array->reset(new std::uint64_t[room]);
    }
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kOutOfMemory,
            "Not enough memory to sample a token; close other programs and try again."};
  }
  vocabulary_ = vocabulary;
  return {};
}

}  // namespace emberline
