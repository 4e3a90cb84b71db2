// The threadgroup memory of a dispatch: the arrays that its kernel declares, and those whose lengths the host
// sets. For a checked library, what has happened to each of its bytes since the threadgroup began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/executor/access_history.h"

namespace emberline::metal_sim {

struct ThreadgroupArray {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0, bytes_with_redzone = 0;
  std::string name;
  std::size_t first_word = 0;  // of its bytes, in the record
};

class ThreadgroupMemory {
 public:
  void begin_dispatch(std::vector<ThreadgroupArray> arrays);
  // Fills every array with the bits of a NaN and forgets what was written.
  void begin_threadgroup();
  BarrierClock& clock() { return clock_; }

  // The array that holds `address`, or whose redzone does; null when it is none of them.
  const ThreadgroupArray* find(std::uintptr_t address);

  // Records an access within `array`. `other` is set to the thread raced with.
  Finding record(const ThreadgroupArray& array, std::uintptr_t address, std::size_t bytes, Access access,
                 std::uint32_t& other);

 private:
  std::vector<ThreadgroupArray> arrays_;  // by begin, ascending
  const ThreadgroupArray* recent_ = nullptr;
  std::vector<WordHistory> words_;
  BarrierClock clock_;
};

}  // namespace emberline::metal_sim
