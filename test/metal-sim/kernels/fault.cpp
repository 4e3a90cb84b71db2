#include "kernels/fault.h"

namespace emberline::metal_sim {

const char* fault_name(FaultKind kind) {
  switch (kind) {
    case FaultKind::kLaunch: return "launch";
    case FaultKind::kUnboundBuffer: return "unbound buffer";
    case FaultKind::kThreadgroupMemory: return "too much threadgroup memory";
    case FaultKind::kConstantUnset: return "function constant without a value";
    case FaultKind::kBarrierNotReached: return "barrier not reached by all";
    case FaultKind::kDivergentSimdgroup: return "divergent simdgroup operation";
    case FaultKind::kOutOfBounds: return "out of bounds";
    case FaultKind::kReadOnlyWrite: return "store to const memory";
    case FaultKind::kThreadgroupOverrun: return "threadgroup memory overrun";
    case FaultKind::kUninitialisedThreadgroup: return "uninitialised threadgroup memory";
    case FaultKind::kRace: return "data race";
    case FaultKind::kStepLimit: return "step limit";
    case FaultKind::kUndefinedBehaviour: return "undefined behaviour";
    case FaultKind::kStackOverflow: return "stack overflow";
  }
  return "";
}

}  // namespace emberline::metal_sim
