// Allocations that fail on purpose. The program that links failing_allocations.cpp has `new` replaced.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emberline::testing {

enum class Shortage {
  kOnce,     // one allocation fails, the next ones do not
  kLasting,  // that one and all behind it
};

// While it lives, the `first`-th allocation (1: the next) of any thread throws std::bad_alloc, or gives null
// where it is asked not to throw. One at a time.
class FailingAllocations {
 public:
  FailingAllocations(std::uint64_t first, Shortage shortage);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;

  bool reached() const;  // whether one has failed
};

// While it lives, the next allocation of any other thread waits: a thread that hangs. One at a time.
class HeldAllocation {
 public:
  HeldAllocation();
  ~HeldAllocation();  // the thread goes on
  HeldAllocation(const HeldAllocation&) = delete;
  HeldAllocation& operator=(const HeldAllocation&) = delete;

  bool reached() const;  // whether one waits
};

// Blocks that `new` gave and `delete` has not got back.
std::int64_t live_blocks();

}  // namespace emberline::testing
