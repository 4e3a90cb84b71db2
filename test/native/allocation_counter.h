// Counts what `new` allocates, so that a test can bound the memory that a reader takes.
#pragma once

#include <cstddef>

namespace emberline::testing {

// The most bytes from `new` that were held at one time since the object was made, over what was held then.
// One at a time.
class AllocationCounter {
 public:
  AllocationCounter();
  std::size_t peak_bytes() const;

 private:
  std::size_t held_at_start_;
};

}  // namespace emberline::testing
