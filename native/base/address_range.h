// A range of addresses whose memory is added from the front as it is needed: what lies in it never moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace emberline {

class AddressRange {
 public:
  AddressRange() = default;
  AddressRange(AddressRange&& other) noexcept { swap(other); }
  AddressRange& operator=(AddressRange&& other) noexcept {
    swap(other);
    return *this;
  }
  ~AddressRange();

  // Takes `bytes` of address space, aligned to a page of the system; no memory. False, and unchanged, when
  // there is no such range. For an empty range only.
  bool reserve(std::size_t bytes);
  // Makes the first `bytes` (at most what was reserved) usable: zeros at first, and not touched until they
  // are used. Those that were usable stay so. False, and unchanged, when there is no memory.
  bool grow(std::size_t bytes);

  std::uint8_t* data() const { return data_; }
  std::size_t reserved() const { return reserved_; }
  std::size_t bytes() const { return bytes_; }  // usable

 private:
  void swap(AddressRange& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(reserved_, other.reserved_);
    std::swap(bytes_, other.bytes_);
    std::swap(committed_, other.committed_);
  }

  std::uint8_t* data_ = nullptr;
  std::size_t reserved_ = 0;
  std::size_t bytes_ = 0;
  std::size_t committed_ = 0;  // bytes_, in whole pages of the system
};

}  // namespace emberline
