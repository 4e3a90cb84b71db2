#include "allocation_counter.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> held{0};
std::atomic<std::size_t> peak{0};
std::atomic<std::size_t> all{0};

// The size of a block stands in front of it, in a slot that keeps malloc's alignment.
constexpr std::size_t kSlot = alignof(std::max_align_t);

}  // namespace

// Every form that pairs with the plain `delete` is replaced: those that a sanitizer brings would hand out
// blocks without a size in front.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  auto* const block =
      static_cast<std::uint8_t*>(size > SIZE_MAX - kSlot ? nullptr : std::malloc(size + kSlot));
  if (block == nullptr) return nullptr;
  *reinterpret_cast<std::size_t*>(block) = size;
  all.fetch_add(size);
  const std::size_t now = held.fetch_add(size) + size;
  if (now > peak.load()) peak.store(now);
  return block + kSlot;
}
void* operator new(std::size_t size) {
  void* const memory = ::operator new(size, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  auto* const block = static_cast<std::uint8_t*>(memory) - kSlot;
  held.fetch_sub(*reinterpret_cast<std::size_t*>(block));
  std::free(block);
}
void operator delete(void* memory, std::size_t) noexcept {
  ::operator delete(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  ::operator delete(memory);
}

namespace emberline::testing {

AllocationCounter::AllocationCounter() : held_at_start_(held.load()), all_at_start_(all.load()) {
  peak.store(held_at_start_);
}
std::size_t AllocationCounter::peak_bytes() const {
  return peak.load() - held_at_start_;
}
std::size_t AllocationCounter::all_bytes() const {
  return all.load() - all_at_start_;
}

}  // namespace emberline::testing
