#include "kernels/executor/fiber.h"

#include <sys/mman.h>

namespace emberline::metal_sim {

#if defined(__x86_64__)
// The System V ABI's callee-saved registers. Kernels never change the floating-point control words, so these
// need no saving.
asm(R"(
.text
.globl metal_sim_switch
.hidden metal_sim_switch
.type metal_sim_switch,@function
metal_sim_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
.globl metal_sim_resume
.hidden metal_sim_resume
metal_sim_resume:
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size metal_sim_switch, .-metal_sim_switch
)");
constexpr std::size_t kSavedRegisters = 6;
#else
#error "The Metal simulator switches stacks on x86-64 alone."
#endif

namespace {

constexpr std::size_t kGuardBytes = 4096;
// An odd number of pages, so that the stacks' tops fall into different sets of the caches.
constexpr std::size_t kStride = FiberStacks::kStackBytes + kGuardBytes;
// 1024 stacks are hot at once. Equal offsets into their pages would share eight lines of the first-level
// cache.
constexpr std::size_t colour(std::size_t index) {
  return index * 832 % 4096 / 64 * 64;
}

}  // namespace

bool FiberStacks::reserve(std::size_t stacks) {
  if (bytes_ != 0) return true;
  const std::size_t bytes = stacks * kStride;
  void* region =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED) return false;
  for (std::size_t i = 0; i < stacks; ++i) {
    if (mprotect(static_cast<char*>(region) + i * kStride, kGuardBytes, PROT_NONE) != 0) {
      munmap(region, bytes);
      return false;
    }
  }
  begin_ = reinterpret_cast<std::uintptr_t>(region);
  bytes_ = bytes;
  return true;
}

Context FiberStacks::start(std::size_t index, void (*entry)()) const {
  const std::uintptr_t top = begin_ + (index + 1) * kStride - 64 - colour(index);
  // A called function finds its stack pointer 8 below a multiple of 16: the return address of `entry` is 0.
  auto* stack = reinterpret_cast<void**>(top);
  *--stack = nullptr;
  *--stack = reinterpret_cast<void*>(entry);
  for (std::size_t i = 0; i < kSavedRegisters; ++i) *--stack = nullptr;
  return stack;
}

bool FiberStacks::is_guard(std::uintptr_t address) const {
  return contains(address) && (address - begin_) % kStride < kGuardBytes;
}

}  // namespace emberline::metal_sim
