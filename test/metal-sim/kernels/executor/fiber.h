// Stackful coroutines: one stack a simulated thread, a switch of about two nanoseconds, guard pages between
// the stacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace emberline::metal_sim {

// A suspended execution: its stack pointer, above which its callee-saved registers lie.
using Context = void*;

// Suspends the caller in *save and resumes `to`.
extern "C" void metal_sim_switch(Context* save, Context to);
// The part of metal_sim_switch that restores registers from the stack pointer: where a signal handler sends a
// faulting thread, with the stack pointer set to a suspended context.
extern "C" char metal_sim_resume[];

// The fixed set of stacks on which threads of one threadgroup run.
class FiberStacks {
 public:
  static constexpr std::size_t kStackBytes = 64 << 10;

  // False when the address space has no room.
  bool reserve(std::size_t stacks);
  // A context that calls `entry` (which must never return) on stack `index` when resumed.
  Context start(std::size_t index, void (*entry)()) const;

  bool contains(std::uintptr_t address) const { return address - begin_ < bytes_; }
  // True for an address in a guard page below a stack.
  bool is_guard(std::uintptr_t address) const;
  std::uintptr_t begin() const { return begin_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::uintptr_t begin_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace emberline::metal_sim
