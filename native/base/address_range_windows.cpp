#include <windows.h>

#include "base/address_range.h"

namespace emberline {

AddressRange::~AddressRange() {
  if (data_ != nullptr) ::VirtualFree(data_, 0, MEM_RELEASE);
}

bool AddressRange::reserve(std::size_t bytes) {
  void* at = ::VirtualAlloc(nullptr, bytes, MEM_RESERVE, PAGE_NOACCESS);
  if (at == nullptr) return false;
  data_ = static_cast<std::uint8_t*>(at);
  reserved_ = bytes;
  return true;
}

bool AddressRange::grow(std::size_t bytes) {
  if (bytes > reserved_) return false;
  if (bytes > committed_) {
    // Rounds outwards to whole pages; what was committed before is left as it is.
    if (::VirtualAlloc(data_ + committed_, bytes - committed_, MEM_COMMIT, PAGE_READWRITE) == nullptr)
      return false;
    committed_ = bytes;
  }
  if (bytes > bytes_) bytes_ = bytes;
  return true;
}

}  // namespace emberline
