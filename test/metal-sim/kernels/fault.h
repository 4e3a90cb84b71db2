// What a simulated GPU has against a kernel: found while it runs, and never a crash of the simulator.
#pragma once

#include <string>

namespace emberline::metal_sim {

enum class FaultKind {
  kLaunch,                    // sizes, bindings or lengths that Metal's API validation refuses
  kUnboundBuffer,             // a buffer that the kernel declares is not bound, or was read all the same
  kThreadgroupMemory,         // more than 32 KiB of threadgroup memory
  kConstantUnset,             // a function constant without a value was read
  kBarrierNotReached,         // threadgroup_barrier that some threads of the threadgroup never reach
  kDivergentSimdgroup,        // a simdgroup operation that not all threads of the simdgroup take part in
  kOutOfBounds,               // device or constant memory outside every bound buffer
  kReadOnlyWrite,             // a store through a buffer that the kernel declares const
  kThreadgroupOverrun,        // threadgroup memory outside every threadgroup array
  kUninitialisedThreadgroup,  // threadgroup memory read before any thread wrote it
  kRace,                      // two threads, one of them writing, not ordered by a barrier
  kStepLimit,                 // a thread that never ends: it waits for another threadgroup, or loops
  kUndefinedBehaviour,        // misaligned access, shift past the width, index past a private array, ...
  kStackOverflow,             // more private memory than a fiber's stack holds
};

// "out of bounds" and so on. Never null.
const char* fault_name(FaultKind kind);

struct Fault {
  FaultKind kind;
  // One sentence: what happened, in which kernel, by which thread of which threadgroup.
  std::string sentence;
  // "mat_vec.h:57" where the kernel was compiled with line numbers and the place is known, else empty.
  std::string location;
};

}  // namespace emberline::metal_sim
