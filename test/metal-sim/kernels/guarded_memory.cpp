#include "kernels/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

namespace emberline::metal_sim {

GuardedMemory::GuardedMemory(std::size_t bytes) : bytes_(bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t usable = (bytes + page - 1) / page * page;
  void* mapping = mmap(nullptr, usable + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return;
  char* const first = static_cast<char*>(mapping);
  if (mprotect(first + usable, page, PROT_NONE) != 0) {
    munmap(mapping, usable + page);
    return;
  }
  mapping_ = mapping;
  mapped_ = usable + page;
  data_ = first + usable - (bytes + 15) / 16 * 16;
}

GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept {
  *this = std::move(other);
}

GuardedMemory& GuardedMemory::operator=(GuardedMemory&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

GuardedMemory::~GuardedMemory() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

}  // namespace emberline::metal_sim
