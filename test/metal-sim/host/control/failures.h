// What the stand-ins have against the program: misuse of the API that Metal's validation layer would stop at,
// and faults of memory or order that a real GPU would answer with wrong results.
#pragma once

#include <string>
#include <vector>

namespace emberline::metal_sim {

enum class FailureKind {
  kObjectiveC,      // over-release, a message to a dead object, an object autoreleased without a pool
  kApiUse,          // a call that breaks a rule of Metal's documentation
  kLifetime,        // a resource deallocated while a command buffer that uses it has not completed
  kMissingBarrier,  // dispatches that share memory, one of them writing, with nothing to order them
  kKernelFault,     // a kernel misbehaved (fault.h); the command buffer ends in an error as well
  kDeadlock,        // a wait that nothing can end
};

// "API use" and so on. Never null.
const char* failure_name(FailureKind kind);

struct Failure {
  FailureKind kind;
  std::string sentence;
};

enum class FailurePolicy {
  kAbort,   // print the sentence and abort the process: nothing goes on after misuse
  kRecord,  // keep it for take_failures; the call then does nothing, or returns nil
};
void set_failure_policy(FailurePolicy policy);

// What was recorded since the last call, oldest first.
std::vector<Failure> take_failures();

void report_failure(FailureKind kind, std::string sentence);

}  // namespace emberline::metal_sim
