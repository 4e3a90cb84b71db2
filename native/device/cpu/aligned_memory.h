// Zero-filled memory aligned to 64 bytes. Pages of a large block are not touched until they are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace emberline {

class AlignedMemory {
 public:
  static constexpr std::size_t kAlignment = 64;
  // Of a large page. x86-64 and 64-bit Arm with 4 KiB pages agree on it; elsewhere it is an alignment like
  // another.
  static constexpr std::size_t kLargePage = std::size_t{2} << 20;

  // Large pages make memory that is read from end to end every token cheaper to touch for the first time
  // (one page fault instead of 512) and to read (fewer address translations). They are too much for memory
  // that is used in part.
  enum class Pages { kUsual, kLarge };

  AlignedMemory() = default;
  AlignedMemory(AlignedMemory&& other) noexcept { *this = std::move(other); }
  AlignedMemory& operator=(AlignedMemory&& other) noexcept {
    block_ = std::move(other.block_);
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }

  // False, and empty, when there is no such memory. Large pages begin at data() where the system has them to
  // give (Linux, unless it is told never to); not getting them is no failure.
  bool allocate(std::size_t bytes, Pages pages = Pages::kUsual) {
    block_.reset();
    data_ = nullptr;
    bytes_ = 0;
    const bool large = pages == Pages::kLarge && bytes >= kLargePage;
    const std::size_t alignment = large ? kLargePage : kAlignment;
    if (bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) - alignment)
      return false;
    // The C library takes a large block straight from the system, so its zeros cost nothing.
    block_.reset(std::calloc(bytes + alignment, 1));
    if (block_ == nullptr) return false;
    const auto address = reinterpret_cast<std::uintptr_t>(block_.get());
    data_ = static_cast<std::uint8_t*>(block_.get()) + (alignment - address % alignment) % alignment;
    bytes_ = bytes;
#if defined(__linux__)
    // Whole pages alone: what is beyond the last would be resident for nothing.
    if (large) ::madvise(data_, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);
#endif
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
