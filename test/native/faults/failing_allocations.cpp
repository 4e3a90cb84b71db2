#include "faults/failing_allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#if defined(_WIN32)
#include <malloc.h>
#endif

namespace {

std::atomic<bool> armed{false}, lasting{false}, failed{false};
std::atomic<std::int64_t> left{0};  // allocations until the first that fails
std::atomic<std::int64_t> live{0};

enum class Hold { kNone, kNext, kHeld };
std::atomic<Hold> hold{Hold::kNone};
std::atomic<std::thread::id> spared;

void wait_while_held() {
  Hold expected = Hold::kNext;
  if (hold.load() != expected || std::this_thread::get_id() == spared.load()) return;
  if (hold.compare_exchange_strong(expected, Hold::kHeld)) hold.wait(Hold::kHeld);
}

bool fails() {
  wait_while_held();
  if (!armed.load()) return false;
  const std::int64_t before = left.fetch_sub(1);
  if (before > 1 || (before < 1 && !lasting.load())) return false;
  failed.store(true);
  return true;
}

void* allocate(std::size_t size) {
  void* const memory = fails() ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory != nullptr) ++live;
  return memory;
}
void release(void* memory) {
  if (memory == nullptr) return;
  --live;
  std::free(memory);
}

void* allocate(std::size_t size, std::size_t alignment) {
#if defined(_WIN32)
  void* const memory = fails() ? nullptr : _aligned_malloc(size, alignment);
#else
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  void* const memory = fails() ? nullptr : std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
#endif
  if (memory != nullptr) ++live;
  return memory;
}
void release_aligned(void* memory) {
#if defined(_WIN32)
  if (memory == nullptr) return;
  --live;
  _aligned_free(memory);
#else
  release(memory);
#endif
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Every form, so that a sanitizer's own do not mix with these.
void* operator new(std::size_t size) {
  return or_throw(allocate(size));
}
void* operator new[](std::size_t size) {
  return or_throw(allocate(size));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return or_throw(allocate(size, static_cast<std::size_t>(alignment)));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return or_throw(allocate(size, static_cast<std::size_t>(alignment)));
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete[](void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  release_aligned(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  release_aligned(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  release_aligned(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  release_aligned(memory);
}
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  release_aligned(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  release_aligned(memory);
}

namespace emberline::testing {

FailingAllocations::FailingAllocations(std::uint64_t first, Shortage shortage) {
  failed.store(false);
  lasting.store(shortage == Shortage::kLasting);
  left.store(static_cast<std::int64_t>(first));
  armed.store(true);
}
FailingAllocations::~FailingAllocations() {
  armed.store(false);
}
bool FailingAllocations::reached() const {
  return failed.load();
}

HeldAllocation::HeldAllocation() {
  spared.store(std::this_thread::get_id());
  hold.store(Hold::kNext);
}
HeldAllocation::~HeldAllocation() {
  hold.store(Hold::kNone);
  hold.notify_all();
}
bool HeldAllocation::reached() const {
  return hold.load() == Hold::kHeld;
}

std::int64_t live_blocks() {
  return live.load();
}

}  // namespace emberline::testing
