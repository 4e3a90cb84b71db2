// Counts what `new` allocates, so that a test can bound the memory that a reader takes.
#pragma once

#include <cstddef>

namespace emberline::testing {

// Of the time since the object was made. One at a time.
class AllocationCounter {
 public:
  AllocationCounter();
  // The most bytes from `new` that were held at one time, over what was held at the start.
  std::size_t peak_bytes() const;
  // All bytes from `new`, those included that were given back: stands for work where that is of vectors and
  // texts.
  std::size_t all_bytes() const;

 private:
  std::size_t held_at_start_, all_at_start_;
};

}  // namespace emberline::testing
