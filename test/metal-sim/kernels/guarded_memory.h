// Memory whose first byte past the end is a guard page: what an unchecked kernel reads or writes beyond a
// buffer becomes a fault instead of a wrong number.
#pragma once

#include <cstddef>

namespace emberline::metal_sim {

class GuardedMemory {
 public:
  GuardedMemory() = default;
  // Zero-filled, aligned to 16, ending at most 15 bytes before an inaccessible page. Empty (data() is null)
  // when there is no memory.
  explicit GuardedMemory(std::size_t bytes);
  GuardedMemory(GuardedMemory&& other) noexcept;
  GuardedMemory& operator=(GuardedMemory&& other) noexcept;
  ~GuardedMemory();

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace emberline::metal_sim
