#include <sys/mman.h>
#include <unistd.h>

#include "base/address_range.h"

namespace emberline {
namespace {

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

AddressRange::~AddressRange() {
  if (data_ != nullptr) ::munmap(data_, whole_pages(reserved_));
}

bool AddressRange::reserve(std::size_t bytes) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_NORESERVE
  flags |= MAP_NORESERVE;
#endif
  void* at = ::mmap(nullptr, whole_pages(bytes), PROT_NONE, flags, -1, 0);
  if (at == MAP_FAILED) return false;
  data_ = static_cast<std::uint8_t*>(at);
  reserved_ = bytes;
  return true;
}

bool AddressRange::grow(std::size_t bytes) {
  const std::size_t wanted = whole_pages(bytes);
  if (bytes > reserved_) return false;
  if (wanted > committed_) {
    if (::mprotect(data_ + committed_, wanted - committed_, PROT_READ | PROT_WRITE) != 0) return false;
    committed_ = wanted;
  }
  if (bytes > bytes_) bytes_ = bytes;
  return true;
}

}  // namespace emberline
