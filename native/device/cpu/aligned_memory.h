// Zero-filled memory aligned to 64 bytes. Pages of a large block are not touched until they are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>

namespace emberline {

class AlignedMemory {
 public:
  static constexpr std::size_t kAlignment = 64;

  AlignedMemory() = default;
  // False, and empty, when there is no such memory.
  bool allocate(std::size_t bytes) {
    block_.reset();
    data_ = nullptr;
    bytes_ = 0;
    if (bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) - kAlignment)
      return false;
    block_.reset(std::calloc(bytes + kAlignment, 1));
    if (block_ == nullptr) return false;
    const auto address = reinterpret_cast<std::uintptr_t>(block_.get());
    data_ = static_cast<std::uint8_t*>(block_.get()) + (kAlignment - address % kAlignment) % kAlignment;
    bytes_ = bytes;
    return true;
  }

  std::uint8_t* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(void* block) const { std::free(block); }
  };
  std::unique_ptr<void, Free> block_;
  std::uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace emberline
